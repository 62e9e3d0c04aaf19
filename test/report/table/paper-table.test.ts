import { expect, test } from 'vitest';
import { accuracyText, cellMarks, cellText, footnotes, markNote } from '../../../src/report/table/cell-text.js';
import { buildPaperTable } from '../../../src/report/table/paper-table.js';
import type { Results } from '../../../src/results/results-schema.js';
import type { RunResult } from '../../../src/results/run-schema.js';
import { summariseRuns } from '../../../src/results/summarise-runs.js';
import { exampleResults, exampleRun } from '../example-results.js';

function resultsOf(runs: RunResult[]): Results {
  return { ...exampleResults({ datasets: [], seeds: [1] }), runs, ...summariseRuns(runs) };
}

/** Per method, whether it cannot be told from the best; null: it was not tested. */
function tested(ties: Record<string, boolean | null>): Results {
  const results = resultsOf(Object.keys(ties).map((method) => exampleRun({ method })));
  for (const row of [...results.summary, ...results.macro]) row.tiedWithBest = ties[row.method] ?? null;
  return results;
}

const ranksOf = (results: Results) => buildPaperTable(results, 'demo-facts').rows[0]!.cells.map((cell) => cell.rank);

test('columns follow the results, combination sizes ascend and the oracle stands last', () => {
  const runs = [
    exampleRun({ method: 'oracle-ts' }),
    exampleRun({ method: 'supportcal', combinationSize: 4 }),
    exampleRun({ method: 'vanilla' }),
    exampleRun({ method: 'supportcal', combinationSize: 2 }),
  ];
  const table = buildPaperTable(resultsOf(runs), 'demo-facts');
  expect(table.columns.map((column) => column.label)).toEqual([
    ...['SupportCal (2)', 'SupportCal (4)', 'Vanilla', 'Oracle TS (labels)'],
  ]);
});

test('rows keep the order in which targets first appear', () => {
  const runs = ['z', 'a', 'm', 'z'].map((target, seed) => exampleRun({ target, seed }));
  expect(buildPaperTable(resultsOf(runs), 'demo-facts').rows.map((row) => row.target)).toEqual(['z', 'a', 'm']);
});

test('all methods that cannot be told from the best are marked alike; the others, and those without a test, are not', () => {
  const table = buildPaperTable(
    tested({ vanilla: false, daca: true, 'full-kl': true, 'oracle-ts': null }),
    'demo-facts',
  );
  expect(table.rows[0]!.cells.map((cell) => cell.rank)).toEqual([null, 'best', 'best', null]);
  expect(table.macro.map((cell) => cell.rank)).toEqual([null, 'best', 'best', null]);
  expect(markNote(table)).toMatch(/^Marked alike: the label-free methods that cannot be told from the best/);
});

test('nothing is marked where nothing can be told apart, and that is said', () => {
  const table = buildPaperTable(tested({ vanilla: true, daca: true }), 'demo-facts');
  expect(table.rows[0]!.cells.map((cell) => cell.rank)).toEqual([null, null]);
  expect(markNote(table)).toBe('Nothing can be told apart, and nothing is marked, in this table.');
});

test('nothing is marked where nothing was tested, however far apart the means are, and that is said', () => {
  expect(ranksOf(tested({ vanilla: null, daca: null }))).toEqual([null, null]);
  expect(ranksOf(tested({ vanilla: true, daca: null }))).toEqual([null, null]);
  expect(markNote(buildPaperTable(tested({ vanilla: null }), 'demo-facts'))).toMatch(/^No method is marked/);
});

test('a cell without an ECE is n/a and has no rank', () => {
  const results = resultsOf([exampleRun({ ece: null }), exampleRun({ method: 'daca', ece: 0.1 })]);
  const table = buildPaperTable(results, 'demo-facts');
  expect(table.rows[0]!.cells.map((cell) => [cellText(cell), cell.rank])).toEqual([
    ['n/a', null],
    ['10.00 ± n/a', null],
  ]);
});

test('accuracy and gain are means over the seeds of the evaluation split', () => {
  const runs = [0.5, 0.6].map((accuracy, seed) => exampleRun({ seed, accuracy, ownBaseAccuracy: accuracy - 0.1 }));
  const row = buildPaperTable(resultsOf(runs), 'demo-facts').rows[0]!;
  expect(row.gainPp).toBeCloseTo(10, 9);
  expect(accuracyText(row)).toBe('45.0 → 55.0 (+10.0)');
  const unlabelled = [exampleRun({ accuracy: null, ownBaseAccuracy: null, ece: null })];
  expect(accuracyText(buildPaperTable(resultsOf(unlabelled), 'demo-facts').rows[0]!)).toBe('n/a');
});

test('seeds without a finite temperature are marked and counted, methods without one by nature are not', () => {
  const infinite = { temperature: null, temperatureKind: 'infinite', temperatureReason: 'margin' } as const;
  const none = { temperature: null, temperatureKind: 'none', ece: null, temperatureReason: 'A is empty' } as const;
  const byNature = { temperature: null, temperatureKind: 'none', temperatureReason: null } as const;
  const runs = [1, 2].flatMap((seed) => [
    exampleRun({ seed, ...byNature }),
    exampleRun({ seed, method: 'daca', ...(seed === 1 ? infinite : {}) }),
    exampleRun({ seed, method: 'full-kl', ...(seed === 1 ? none : {}) }),
  ]);
  const results = resultsOf(runs);
  results.protocol.seeds = [1, 2];
  const table = buildPaperTable(results, 'demo-facts');
  expect(table.rows[0]!.cells.map(cellMarks)).toEqual(['', '∞', '∅']);
  const notes = footnotes(table).join('\n');
  expect(notes).toContain('llama-demo-chat · DACA ∞ 1/2');
  expect(notes).toContain('llama-demo-chat · Full KL ∅ 1/2');
  expect(notes).toContain('Seeds with an ECE: llama-demo-chat · Full KL 1 of 2');
});

test('a data set without any label has one note for it, in place of a count per cell', () => {
  const runs = [exampleRun({ accuracy: null, ownBaseAccuracy: null, ece: null })];
  expect(footnotes(buildPaperTable(resultsOf(runs), 'demo-facts'))).toEqual([
    expect.stringMatching(/^No accuracy and no ECE: no evaluation example has a label/),
  ]);
});

test('every cell knows its seeds and evaluation rows, the macro average its targets', () => {
  const runs = [
    exampleRun({ target: 'a', seed: 1, labelledCount: 400 }),
    exampleRun({ target: 'a', seed: 2, labelledCount: 410 }),
    exampleRun({ target: 'b', ece: null }),
  ];
  const table = buildPaperTable(resultsOf(runs), 'demo-facts');
  expect(table.rows[0]!.cells[0]).toMatchObject({ seeds: 2, rows: { min: 400, max: 410 }, runs: 2 });
  expect(table.macro[0]).toMatchObject({ targets: 1 });
  expect(footnotes(table).join('\n')).toContain('Vanilla 1 of 2');
});
