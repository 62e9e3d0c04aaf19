import { groupBy } from '../contract/group-by.js';
import { clusterInterval } from '../inference/over-models.js';
import { mean, standardError } from '../numeric/mean.js';
import type { Results } from './results-schema.js';
import type { RunResult } from './run-schema.js';

export type SummaryRow = Results['summary'][number];
export type MacroRow = Results['macro'][number];

/** What is known of a mean ECE beside its value; target null: of the mean over targets. */
export interface CellInference
  extends Pick<SummaryRow, 'dataset' | 'method' | 'combinationSize' | (typeof INFERRED)[number]> {
  readonly target: string | null;
}

const INFERRED = [
  'eceLowPp',
  'eceHighPp',
  'eceTotalSePp',
  'calibratedMeanPp',
  'calibratedHighPp',
  'calibratedPValue',
  'intervals',
  'tiedWithBest',
  'bestPValue',
] as const;

const INFERRED_MACRO = ['eceTotalSePp', 'tiedWithBest', 'bestPValue'] as const;

/**
 * Means over seeds per data set, target, method and M, and their macro average over targets, in percentage points.
 *
 * eceMeanPp = 100 x mean of the seeds' ECE; eceSePp = 100 x sample standard deviation / sqrt(seeds), null below two
 * seeds. A seed without an ECE counts in neither; no seed at all gives null. Macro: mean over targets of the seed
 * means, over the `targets` that have one. Rows stand in the order in which runs first name them. What was inferred
 * goes to the row of its target, method and M; rows without it have null. The interval of a macro average is over the
 * own bases of its targets, each with all its targets.
 */
export function summariseRuns(
  runs: readonly RunResult[],
  cells: readonly CellInference[] = [],
): { summary: SummaryRow[]; macro: MacroRow[] } {
  const cellOf = new Map(cells.map((each) => [rowKey(each), each]));
  const summary = [
    ...groupBy(runs, ({ dataset, target, method, combinationSize }) =>
      JSON.stringify([dataset, target, method, combinationSize]),
    ).values(),
  ].map((group) => {
    const row = summaryRow(group);
    return { ...row, ...inferred(INFERRED, cellOf.get(rowKey(row))) };
  });
  const ownBases = new Map(runs.map(({ target, ownBase }) => [target, ownBase]));
  const macro = [
    ...groupBy(summary, ({ dataset, method, combinationSize }) =>
      JSON.stringify([dataset, method, combinationSize]),
    ).values(),
  ].map((group) => {
    const row = macroRow(group, ownBases);
    return { ...row, ...inferred(INFERRED_MACRO, cellOf.get(rowKey({ ...row, target: null }))) };
  });
  return { summary, macro };
}

function rowKey({
  dataset,
  target,
  method,
  combinationSize,
}: Pick<CellInference, 'dataset' | 'target' | 'method' | 'combinationSize'>): string {
  return JSON.stringify([dataset, target, method, combinationSize]);
}

function inferred<F extends (typeof INFERRED)[number]>(
  fields: readonly F[],
  cell: CellInference | undefined,
): Pick<CellInference, F> {
  return Object.fromEntries(fields.map((field) => [field, cell?.[field] ?? null])) as Pick<CellInference, F>;
}

function summaryRow(runs: [RunResult, ...RunResult[]]): Omit<SummaryRow, (typeof INFERRED)[number]> {
  const [{ dataset, target, method, combinationSize }] = runs;
  const eces = runs.map((run) => run.ece).filter((ece) => ece !== null);
  return {
    dataset,
    target,
    method,
    combinationSize,
    eceMeanPp: scaled(mean(eces)),
    eceSePp: scaled(standardError(eces)),
    seeds: eces.length,
  };
}

function scaled(fraction: number | null): number | null {
  return fraction === null ? null : 100 * fraction;
}

function macroRow(
  rows: [SummaryRow, ...SummaryRow[]],
  ownBases: ReadonlyMap<string, string>,
): Omit<MacroRow, (typeof INFERRED_MACRO)[number]> {
  const [{ dataset, method, combinationSize }] = rows;
  const means = rows.flatMap(({ target, eceMeanPp: value }) =>
    value === null ? [] : [{ base: ownBases.get(target) ?? target, value }],
  );
  const interval = clusterInterval(means);
  return {
    dataset,
    method,
    combinationSize,
    eceMeanPp: mean(means.map(({ value }) => value)),
    eceLowPp: interval && Math.max(0, interval.low),
    eceHighPp: interval && Math.min(100, interval.high),
    bases: new Set(means.map(({ base }) => base)).size,
    targets: means.length,
  };
}
