import { mean, standardError } from '../numeric/mean.js';
import type { Results, RunResult } from './results-schema.js';

export type SummaryRow = Results['summary'][number];
export type MacroRow = Results['macro'][number];

/**
 * Means over seeds per data set, target, method and M, and their macro average over targets, in percentage points.
 *
 * eceMeanPp = 100 x mean of the seeds' ECE; eceSePp = 100 x sample standard deviation / sqrt(seeds), null below two
 * seeds. A seed without an ECE counts in neither; no seed at all gives null. Macro: mean over targets of the seed
 * means, over the `targets` that have one. Rows stand in the order in which runs first name them.
 */
export function summariseRuns(runs: readonly RunResult[]): { summary: SummaryRow[]; macro: MacroRow[] } {
  const summary = [
    ...groupBy(runs, ({ dataset, target, method, combinationSize }) =>
      JSON.stringify([dataset, target, method, combinationSize]),
    ),
  ].map(summaryRow);
  const macro = [
    ...groupBy(summary, ({ dataset, method, combinationSize }) => JSON.stringify([dataset, method, combinationSize])),
  ].map(macroRow);
  return { summary, macro };
}

function summaryRow(runs: RunResult[]): SummaryRow {
  const { dataset, target, method, combinationSize } = runs[0]!;
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

function macroRow(rows: SummaryRow[]): MacroRow {
  const { dataset, method, combinationSize } = rows[0]!;
  const means = rows.map((row) => row.eceMeanPp).filter((value) => value !== null);
  return { dataset, method, combinationSize, eceMeanPp: mean(means), targets: means.length };
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Iterable<T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups.values();
}
