import { expect, it } from 'vitest';
import { scoreTable } from '../../../src/cache/table/score-table.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { untoldRanges } from '../../../src/pipeline/diagnostics/untold-ranges.js';
import { alignTarget } from '../../../src/pipeline/join/align-target.js';
import { joinScores } from '../../../src/pipeline/join/dataset-scores.js';
import { untoldLines } from '../../../src/report/text/untold-lines.js';
import { exampleRun } from '../../report/example-results.js';

const BINNING = { bins: 10, binEdges: 'equal-width', edgeRule: 'left-owned' } as const;
const COUNT = 60;
const target = Array.from({ length: COUNT }, (_, n) => [0, 1, 2].map((k) => -4 + 3 * Math.sin(7 * n + 5 * k * k)));
const ownBase = target.map((row, n) => row.map((value, k) => -2 + value / 3 + 0.2 * Math.cos(n + k)));
const labels = Int32Array.from(target, (row, n) => (n % 3 === 0 ? n % 3 : row.indexOf(Math.max(...row))));
const least = (row: readonly number[]) => row.indexOf(Math.min(...row));
const splits = [
  {
    seed: 1,
    calibration: Int32Array.from({ length: 30 }, (_, n) => n),
    evaluation: Int32Array.from({ length: 30 }, (_, n) => 30 + n),
  },
];
const model = (id: string, missingFloor?: number) => {
  const endpoint = { url: 'http://h', model: 'm', api: 'openai', concurrency: 1, timeoutSeconds: 1 } as const;
  const own = missingFloor === undefined ? endpoint : { ...endpoint, missingFloor };
  return { id, role: 'base', bucket: 'b', prompt: 'raw', endpoint: own } as const;
};

/** Every third question has its least probable option untold, at its true value or `above` it. */
function rangesOf(above: number, floor?: number) {
  const bits = Int32Array.from(target, (row, n) => (n % 3 === 1 ? 1 << least(row) : 0));
  const raised = target.map((row, n) => row.map((value, k) => value + ((bits[n] ?? 0) >> k === 1 ? above : 0)));
  const aligned = {
    targetLogits: raggedRows(raised),
    ownBaseLogits: raggedRows(ownBase),
    references: [],
    labels,
    rowOfExample: Int32Array.from({ length: COUNT }, (_, n) => n),
    warnings: [],
    untold: { target: bits, ownBase: new Int32Array(COUNT) },
  };
  const runs = ['vanilla', 'daca', 'full-kl', 'supportcal', 'oracle-ts'].map((method) => exampleRun({ method }));
  const plan = { target: model('t', floor), ownBase: model('b') };
  return { aligned, ranges: untoldRanges({ plan, aligned, splits }, runs, BINNING) };
}

it('gives every method that is a fit to teacher or labels an interval that holds the truth', () => {
  const { ranges } = rangesOf(0.3, 1e-6);
  // What the same code says when every option is told is the truth; each interval must hold it.
  const { aligned } = rangesOf(0);
  const told = { target: new Int32Array(COUNT), ownBase: new Int32Array(COUNT) };
  const runs = ['vanilla', 'daca', 'full-kl', 'oracle-ts'].map((method) => exampleRun({ method }));
  const plan = { target: model('t'), ownBase: model('b') };
  const truth = untoldRanges({ plan, aligned: { ...aligned, untold: told }, splits }, runs, BINNING);
  expect(ranges.map(({ method }) => method)).toEqual(['vanilla', 'daca', 'full-kl', 'supportcal', 'oracle-ts']);
  expect(ranges[0]).toMatchObject({ target: 't', untold: 20, examples: COUNT, range: { temperatureLow: 1 } });
  for (const { method, range } of truth) {
    const open = ranges.find((each) => each.method === method)?.range;
    if (range?.ece == null || open?.ece == null) throw new Error(method);
    expect(range.temperatureHigh).toBeCloseTo(range.temperatureLow, 9);
    expect(open.temperatureLow).toBeLessThanOrEqual(range.temperatureLow + 1e-9);
    expect(open.temperatureHigh).toBeGreaterThanOrEqual(range.temperatureLow - 1e-9);
    expect(open.ece.lowPp).toBeLessThanOrEqual(range.ece.lowPp + 1e-9);
    expect(open.ece.highPp).toBeGreaterThanOrEqual(range.ece.highPp - 1e-9);
  }
  expect(ranges.find(({ method }) => method === 'supportcal')?.range).toBeNull();
});

it('is told row by row by the tables of target and own base, and warned of', () => {
  const rows = (untold: number) =>
    scoreTable(
      ['a', 'b'].map((id, n) => ({
        status: 'ok',
        id,
        logits: [-1, -2, -3],
        logZ: 0,
        optionMass: 0.5,
        promptTokens: 3,
        ...(n === 1 && untold !== 0 && { untold }),
      })),
    );
  const tables = new Map([
    ['t', rows(4)],
    ['b', rows(0)],
  ]);
  const plan = { target: model('t'), ownBase: model('b'), referencePool: [] };
  const aligned = alignTarget(plan, joinScores('d', null, tables));
  if ('reason' in aligned) throw new Error(aligned.reason);
  expect(aligned.untold).toEqual({ target: Int32Array.of(0, 4), ownBase: Int32Array.of(0, 0) });
  expect(aligned.warnings).toEqual([
    expect.stringContaining('1 of 2 examples have an option that a server did not tell'),
  ]);
  const told = alignTarget({ ...plan, target: model('b') }, joinScores('d', null, tables));
  expect('untold' in told).toBe(false);
});

it('says so in one sentence, and that without a floor a temperature has no upper end', () => {
  const [line, ...others] = untoldLines({ untold: rangesOf(0.3).ranges }, (text) => text);
  expect(others).toEqual([]);
  expect(line).toContain('t: 20 of 60 questions have an option that a server did not tell');
  expect(line).toMatch(/DACA: temperature \d+\.\d+ and above, ECE within/);
  expect(line).toMatch(/No interval for SupportCal\.$/);
  expect(untoldLines({}, (text) => text)).toEqual([]);
});
