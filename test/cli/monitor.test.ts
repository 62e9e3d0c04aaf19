import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { signalSketch } from '../../src/inference/drift/signal-sketch.js';
import { stringifyArtefact } from '../../src/pipeline/artefact/parse-artefact.js';
import { questionSignals } from '../../src/pipeline/artefact/question-signals.js';
import { exampleArtefact } from '../pipeline/artefact/example-artefact.js';
import { run } from './fake-io.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-monitor-'));
const file = (name: string) => path.join(folder, name);
const write = (name: string, text: string) => {
  writeFileSync(file(name), text);
  return file(name);
};
/** Scores of questions; `sharpness` says how sure the model is. */
const logitsOf = (count: number, sharpness: number, seed = 0) =>
  Array.from({ length: count }, (_, n) => [0, 1, 2].map((k) => sharpness * Math.sin(7.3 * (n + seed) + 2.1 * k)));
const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const scores = (name: string, ...rows: Parameters<typeof logitsOf>) =>
  write(name, jsonl(logitsOf(...rows).map((logits) => ({ logits }))));
const monitor = (log: string, ...flags: string[]) => run(['monitor', log, '--artefact', file('a.json'), ...flags]);
const answers = async (name: string, ...rows: Parameters<typeof logitsOf>) => {
  const input = scores(`${name}.scores.jsonl`, ...rows);
  await run(['predict', '--artefact', file('a.json'), '--logits', input, '--out', file(name)]);
  return file(name);
};

beforeAll(() => {
  const signals = logitsOf(400, 4).map((logits) =>
    questionSignals({ logits, optionMass: Number.NaN, promptTokens: 0 }),
  );
  const sketch = (name: 'rawConfidence' | 'margin') => {
    const { rows, values } = signalSketch(Float64Array.from(signals, (each) => each[name]!))!;
    return { rows, values: [...values] };
  };
  const drift = { rule: 'r', signals: { rawConfidence: sketch('rawConfidence'), margin: sketch('margin') } };
  write('a.json', stringifyArtefact({ ...exampleArtefact(), drift }));
});

describe('supportcal monitor', () => {
  it('says window by window whether logged questions are like those of the fit', async () => {
    const like = await monitor(await answers('like.jsonl', 450, 4, 1000));
    expect([like.code, like.stderr]).toEqual([0, '']);
    expect(like.stdout.match(/as the fit/g)).toHaveLength(3);
    const unlike = await monitor(await answers('unlike.csv', 60, 1.5));
    expect(unlike.stdout).toMatch(/1 +60 +drift/);
    expect(unlike.stdout).toMatch(/unlike those .* raw confidence \(median .*export again, which needs no label/);
  });

  it('reads standard input, and ends with code 3 for drift where that is asked for', async () => {
    const text = readFileSync(file('unlike.csv'), 'utf8');
    const argv = ['monitor', '-', '--artefact', file('a.json'), '--json', '--fail-on-drift'];
    const { code, stdout } = await run(argv, { stdin: [text] });
    expect(code).toBe(3);
    const { drift, answers: count, windows } = JSON.parse(stdout);
    expect([drift, count, windows[0].drift, windows[0].signals[0].rows]).toEqual([true, 60, true, 60]);
  });

  it('goes on from call to call with --state, and predict --monitor writes the same file', async () => {
    const state = file('state.json');
    const log = await answers('part.jsonl', 150, 4, 2000);
    expect((await monitor(log, '--state', state)).stdout).toMatch(/150 questions wait for their window to fill/);
    const more = scores('more.jsonl', 150, 4, 3000);
    const flags = ['--logits', more, '--out', file('more.out.jsonl'), '--monitor', state];
    expect((await run(['predict', '--artefact', file('a.json'), ...flags])).stderr).toBe('');
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({
      rows: 300,
      current: { rows: 100 },
      windows: [{ rows: 200, drift: false }],
    });
    const again = await run(['predict', '--artefact', file('a.json'), ...flags.with(1, scores('odd.jsonl', 100, 1.2))]);
    expect(again.stderr).toMatch(/warn: .*state\.json: these 200 questions are unlike/);
  });

  it('takes agreement with the own base where lines have it', async () => {
    const artefact = JSON.parse(readFileSync(file('a.json'), 'utf8'));
    artefact.drift.signals.baseAgreement = {
      rows: 100,
      values: Array.from({ length: 100 }, (_, n) => (n < 20 ? 0 : 1)),
    };
    const other = write('agreement.json', JSON.stringify(artefact));
    const rows = (agrees: (n: number) => boolean) =>
      jsonl(logitsOf(100, 4, 500).map((logits, n) => ({ logits, baseAgreement: agrees(n) })));
    const drift = async (name: string, agrees: (n: number) => boolean) =>
      JSON.parse((await run(['monitor', write(name, rows(agrees)), '--artefact', other, '--json'])).stdout).drift;
    expect(await drift('agrees.jsonl', (n) => n % 5 > 0)).toBe(false);
    expect(await drift('differs.jsonl', (n) => n % 2 > 0)).toBe(true);
  });

  it.each([
    [
      'an artefact of an earlier version',
      () => ['--artefact', write('old.json', stringifyArtefact(exampleArtefact()))],
      3,
    ],
    ['a state of another artefact', () => ['--state', write('other.json', '{"kind": "supportcal-monitor"}')], 3],
    ['too small a window', () => ['--window', '5'], 2],
  ])('refuses %s', async (_, flags, code) => {
    const { code: found, stdout, stderr } = await monitor(file('like.jsonl'), ...flags());
    expect([found, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(/drift: an earlier version|no state of a monitor|expected a whole number of 30 or more/);
  });

  it('refuses a file without an answer, and keeps no state of it', async () => {
    const log = write('none.jsonl', '{"id": "a", "status": "failed", "reason": "x"}\n');
    const { code, stderr } = await monitor(log, '--state', file('none.json'));
    expect([code, stderr]).toEqual([3, expect.stringMatching(/has no answer among its 1 rows/)]);
    expect(existsSync(file('none.json'))).toBe(false);
  });
});

describe('supportcal predict', () => {
  it('tells of a run whose questions are unlike those of the fit, and of no other', async () => {
    const notes = async (...rows: Parameters<typeof logitsOf>) =>
      (await run(['predict', '--artefact', file('a.json'), '--logits', scores('s.jsonl', ...rows)])).stderr;
    expect(await notes(60, 4, 700)).toBe('');
    expect(await notes(60, 1.5)).toMatch(
      /warn: these 60 questions are unlike those that the temperature was fitted on/,
    );
    // Too few to tell.
    expect(await notes(20, 1.5)).toBe('');
  });
});
