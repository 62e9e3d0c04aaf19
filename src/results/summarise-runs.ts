import { mean, standardError } from '../numeric/mean.js';
import type { Results } from './results-schema.js';
import type { RunResult } from './run-schema.js';

export type SummaryRow = Results['summary'][number];
export type MacroRow = Results['macro'][number];

/** Bootstrap interval of a mean ECE; target null: of the mean over targets. */
export interface EceInterval {
  readonly dataset: string;
  readonly target: string | null;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly lowPp: number;
  readonly highPp: number;
}

/**
 * Means over seeds per data set, target, method and M, and their macro average over targets, in percentage points.
 *
 * eceMeanPp = 100 x mean of the seeds' ECE; eceSePp = 100 x sample standard deviation / sqrt(seeds), null below two
 * seeds. A seed without an ECE counts in neither; no seed at all gives null. Macro: mean over targets of the seed
 * means, over the `targets` that have one. Rows stand in the order in which runs first name them. An interval goes to
 * the row of its target, method and M; rows without one have null.
 */
export function summariseRuns(
  runs: readonly RunResult[],
  intervals: readonly EceInterval[] = [],
): { summary: SummaryRow[]; macro: MacroRow[] } {
  const intervalOf = new Map(intervals.map((each) => [rowKey(each), each]));
  const summary = [
    ...groupBy(runs, ({ dataset, target, method, combinationSize }) =>
      JSON.stringify([dataset, target, method, combinationSize]),
    ),
  ].map((group) => {
    const row = summaryRow(group);
    return { ...row, ...intervalFields(intervalOf.get(rowKey(row))) };
  });
  const macro = [
    ...groupBy(summary, ({ dataset, method, combinationSize }) => JSON.stringify([dataset, method, combinationSize])),
  ].map((group) => {
    const row = macroRow(group);
    return { ...row, ...intervalFields(intervalOf.get(rowKey({ ...row, target: null }))) };
  });
  return { summary, macro };
}

function rowKey({ dataset, target, method, combinationSize }: Omit<EceInterval, 'lowPp' | 'highPp'>): string {
  return JSON.stringify([dataset, target, method, combinationSize]);
}

function intervalFields(interval: EceInterval | undefined) {
  return { eceLowPp: interval?.lowPp ?? null, eceHighPp: interval?.highPp ?? null };
}

function summaryRow(runs: [RunResult, ...RunResult[]]): Omit<SummaryRow, 'eceLowPp' | 'eceHighPp'> {
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

function macroRow(rows: [SummaryRow, ...SummaryRow[]]): Omit<MacroRow, 'eceLowPp' | 'eceHighPp'> {
  const [{ dataset, method, combinationSize }] = rows;
  const means = rows.map((row) => row.eceMeanPp).filter((value) => value !== null);
  return { dataset, method, combinationSize, eceMeanPp: mean(means), targets: means.length };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Iterable<[T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups.values();
}
