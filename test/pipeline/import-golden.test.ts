import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrateStage } from '../../src/pipeline/calibrate-stage.js';
import { importLogits } from '../../src/pipeline/import-logits.js';
import type { Results } from '../../src/results/results-schema.js';
import type { RunResult } from '../../src/results/run-schema.js';

type Cell = number | string | string[] | null;
type Row = Record<string, Cell>;

interface Expected {
  readonly columns: string[];
  readonly runs: Cell[][];
  readonly splits: Record<string, Record<string, { calibration: string[]; evaluation: string[] }>>;
  readonly summary: Row[];
  readonly macro: Row[];
}

const fixture = new URL('../fixtures/import/', import.meta.url);
const expected: Expected = JSON.parse(readFileSync(new URL('expected.json', fixture), 'utf8'));
const runs: Row[] = expected.runs.map((cells) =>
  Object.fromEntries(expected.columns.map((name, i) => [name, cells[i]!])),
);
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-golden-'));
const datasets = Object.keys(expected.splits);
let results: Results;

/** Imports every model's logits of every data set and calibrates, as a user with foreign logits would. */
beforeAll(async () => {
  const places = { models: path.join(folder, 'models.yaml'), datasets: path.join(folder, 'datasets') };
  writeFileSync(places.models, readFileSync(new URL('models.yaml', fixture)));
  mkdirSync(places.datasets);
  for (const dataset of datasets) writeFileSync(path.join(places.datasets, `${dataset}.yaml`), `title: ${dataset}\n`);
  const cache = path.join(folder, 'cache');
  for (const [name, lines] of linesOfFiles()) {
    const [dataset, model] = ownersOf(lines[0]!);
    const file = path.join(folder, name);
    writeFileSync(file, lines.join('\n'));
    await importLogits({ file, model, dataset, unit: 'logits', ...places, cache, allowMissing: true });
  }
  const out = path.join(folder, 'out');
  ({ results } = await calibrateStage({ suite: 's', ...places, cache, out, gpu: 'off', refresh: false }, {}));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function linesOfFiles(): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const line of readFileSync(new URL('logits.jsonl', fixture), 'utf8').trimEnd().split('\n')) {
    const name = `${ownersOf(line).join('.')}.jsonl`;
    files.set(name, [...(files.get(name) ?? []), line]);
  }
  return files;
}

/** Data set and model of a line; some lines hold NaN and Infinity, which JSON.parse does not read. */
function ownersOf(line: string): [string, string] {
  const [, dataset, model] = /^\{"dataset": "([^"]+)", "model": "([^"]+)"/.exec(line)!;
  return [dataset!, model!];
}

const keyOf = (row: Row | RunResult) =>
  [row.dataset, row.target, row.method, row.combinationSize, (row as Row).seed].join(' / ');

/** Numbers within `tolerance` of their own size (of 1 when smaller, but for temperatures); everything else equal. */
function differences(want: Row, got: Record<string, unknown>, tolerance: number): string[] {
  return Object.entries(want).flatMap(([field, value]) => {
    const other = got[field];
    const close =
      typeof value === 'number' && typeof other === 'number'
        ? Math.abs(value - other) <= tolerance * (field === 'temperature' ? value : Math.max(1, Math.abs(value)))
        : JSON.stringify(value) === JSON.stringify(other);
    return close ? [] : [`${keyOf(want)} ${field}: expected ${JSON.stringify(value)}, got ${JSON.stringify(other)}`];
  });
}

describe('imported logits against the numbers of an independent program', () => {
  it('splits the examples as recorded: the named generator never changes silently', () => {
    expect(JSON.parse(readFileSync(path.join(folder, 'out', 'splits.json'), 'utf8'))).toEqual(expected.splits);
  });

  it.each(datasets)('every run of %s has the same kind, references, temperature and metrics', (dataset) => {
    const want = runs.filter((run) => run.dataset === dataset);
    const got = new Map(results.runs.filter((run) => run.dataset === dataset).map((run) => [keyOf(run), run]));
    expect([...got.keys()].sort()).toEqual(want.map(keyOf).sort());
    expect(want.flatMap((run) => differences(run, got.get(keyOf(run))!, 1e-9))).toEqual([]);
  });

  it('seed means, standard errors and macro averages follow from the runs', () => {
    const got = new Map([...results.summary, ...results.macro].map((row) => [keyOf(row as unknown as Row), row]));
    expect(got.size).toBe(expected.summary.length + expected.macro.length);
    const want = [...expected.summary, ...expected.macro];
    expect(want.flatMap((row) => differences(row, got.get(keyOf(row))!, 1e-9))).toEqual([]);
  });
});
