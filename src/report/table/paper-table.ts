import { groupBy } from '../../contract/group-by.js';
import { isLabelFree, methodKey, methodLabel } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import { type TargetAccuracy, targetAccuracy } from './target-accuracy.js';
import { zip } from './zip.js';

/** `best`: cannot be told from the best of its row, in a row where some method can. */
export type Rank = 'best' | null;

export interface PaperColumn {
  readonly key: string;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly label: string;
  /** False for oracle-ts, which stands last and never competes. */
  readonly labelFree: boolean;
}

/** ECE of one target under one method. */
export interface PaperCell {
  /** Percentage points; null: no seed has an ECE. */
  readonly meanPp: number | null;
  /** Over the splits, percentage points; null below two seeds. */
  readonly sePp: number | null;
  /** Seeds behind the mean. */
  readonly seeds: number;
  /** Evaluation examples behind one seed's ECE: smallest and largest over seeds; null without runs. */
  readonly rows: { readonly min: number; readonly max: number } | null;
  readonly rank: Rank;
  /** Seeds whose fit ended without a finite temperature, of all `runs` seeds. */
  readonly infinite: number;
  readonly none: number;
  /** Why those have none, each reason of results.json once. */
  readonly reasons: readonly string[];
  readonly runs: number;
}

export interface PaperRow extends TargetAccuracy {
  readonly target: string;
  readonly ownBase: string;
  /** Whether something makes the numbers of the target, or of its own base, mean little (`Results.health`). */
  readonly suspect: boolean;
  /** One per column, in column order. */
  readonly cells: readonly PaperCell[];
}

export interface MacroCell {
  readonly meanPp: number | null;
  /** Targets behind the mean. */
  readonly targets: number;
  readonly rank: Rank;
}

/**
 * `apart`: some method can be told from the best; `alike`: none can; `untested`: fewer than two methods were tested.
 */
export type Told = 'apart' | 'alike' | 'untested';

/** One data set in the layout of the paper's tables: targets down, methods across, a macro average below. */
export interface PaperTable {
  readonly dataset: string;
  readonly seeds: number;
  readonly columns: readonly PaperColumn[];
  readonly rows: readonly PaperRow[];
  /** One per column. */
  readonly macro: readonly MacroCell[];
  /** Rows of the table, and the macro average, by what the test of the best said of them. */
  readonly told: Readonly<Record<Told, readonly string[]>>;
  /** Those of this data set. */
  readonly comparisons: Results['comparisons'];
}

/** The table of one data set; rows in order of first appearance. */
export function buildPaperTable(results: Results, dataset: string): PaperTable {
  const runs = results.runs.filter((run) => run.dataset === dataset);
  const summary = results.summary.filter((row) => row.dataset === dataset);
  const columns = columnsOf(summary);
  const runsOfTarget = new Map<string, RunResult[]>();
  for (const { target } of summary) runsOfTarget.set(target, []);
  for (const run of runs) runsOfTarget.get(run.target)?.push(run);
  const ill = new Set((results.health ?? []).flatMap((each) => (each.dataset === dataset ? [each.model] : [])));
  const rows = [...runsOfTarget].map(([target, itsRuns]) => {
    const row = paperRow(
      target,
      itsRuns,
      summary.filter((each) => each.target === target),
      columns,
    );
    return { ...row, suspect: ill.has(target) || ill.has(row.ownBase) };
  });
  return {
    dataset,
    seeds: results.protocol.seeds.length,
    columns,
    rows,
    macro: macroCells(results, dataset, columns),
    told: toldApart(
      summary,
      results.macro.filter((row) => row.dataset === dataset),
    ),
    comparisons: results.comparisons.filter((each) => each.dataset === dataset),
  };
}

/** Methods by first appearance, M ascending inside one, oracle-ts last. */
function columnsOf(summary: Results['summary'] | Results['macro']): PaperColumn[] {
  const methods = [...new Set(summary.map((row) => row.method))];
  const byKey = new Map<string, PaperColumn>();
  for (const { method, combinationSize } of summary) {
    const key = methodKey(method, combinationSize);
    const label = methodLabel(method, combinationSize);
    byKey.set(key, { key, method, combinationSize, label, labelFree: isLabelFree(method) });
  }
  return [...byKey.values()].sort(
    (a, b) =>
      Number(b.labelFree) - Number(a.labelFree) ||
      methods.indexOf(a.method) - methods.indexOf(b.method) ||
      (a.combinationSize ?? 0) - (b.combinationSize ?? 0),
  );
}

function paperRow(
  target: string,
  runs: readonly RunResult[],
  summary: Results['summary'],
  columns: readonly PaperColumn[],
): PaperRow {
  const byKey = new Map(summary.map((row) => [methodKey(row.method, row.combinationSize), row]));
  const found = columns.map((column) => ({ column, row: byKey.get(column.key) }));
  const ranks = ranksOf(found.map(({ row }) => row));
  const cells = zip(found, ranks).map(([{ column, row }, rank]) => ({
    meanPp: row?.eceMeanPp ?? null,
    sePp: row?.eceSePp ?? null,
    seeds: row?.seeds ?? 0,
    rank,
    ...behindCell(runs.filter((run) => methodKey(run.method, run.combinationSize) === column.key)),
  }));
  return { target, ownBase: runs[0]?.ownBase ?? '', ...targetAccuracy(runs), cells, suspect: false };
}

type Tested = Pick<Results['macro'][number], 'tiedWithBest'>;

/** Nothing is best where nothing can be told apart. */
function ranksOf(cells: ReadonlyArray<Tested | undefined>): Rank[] {
  const apart = toldOf(cells.flatMap((cell) => cell ?? [])) === 'apart';
  return cells.map((cell) => (apart && cell?.tiedWithBest === true ? 'best' : null));
}

function toldOf(cells: readonly Tested[]): Told {
  const tested = cells.filter(({ tiedWithBest }) => tiedWithBest !== null);
  if (tested.length < 2) return 'untested';
  return tested.some(({ tiedWithBest }) => tiedWithBest === false) ? 'apart' : 'alike';
}

function toldApart(summary: Results['summary'], macro: Results['macro']): PaperTable['told'] {
  const rows = [
    ...[...groupBy(summary, ({ target }) => target)].map(([name, cells]) => ({ name, told: toldOf(cells) })),
    { name: 'macro average', told: toldOf(macro) },
  ];
  const named = (kind: Told) => rows.flatMap(({ name, told }) => (told === kind ? [name] : []));
  return { apart: named('apart'), alike: named('alike'), untested: named('untested') };
}

function behindCell(runs: readonly RunResult[]): Pick<PaperCell, 'rows' | 'infinite' | 'none' | 'reasons' | 'runs'> {
  const counts = runs.map((run) => run.labelledCount);
  const reasons = runs.flatMap((run) => (run.temperatureKind === 'none' ? (run.temperatureReason ?? []) : []));
  return {
    rows: runs.length > 0 ? { min: Math.min(...counts), max: Math.max(...counts) } : null,
    infinite: runs.filter((run) => run.temperatureKind === 'infinite').length,
    none: reasons.length,
    reasons: [...new Set(reasons)],
    runs: runs.length,
  };
}

function macroCells(results: Results, dataset: string, columns: readonly PaperColumn[]): MacroCell[] {
  const rows = new Map(
    results.macro
      .filter((row) => row.dataset === dataset)
      .map((row) => [methodKey(row.method, row.combinationSize), row]),
  );
  const ranks = ranksOf(columns.map(({ key }) => rows.get(key)));
  return zip(columns, ranks).map(([{ key }, rank]) => ({
    meanPp: rows.get(key)?.eceMeanPp ?? null,
    targets: rows.get(key)?.targets ?? 0,
    rank,
  }));
}
