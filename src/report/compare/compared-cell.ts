import { mean, standardError } from '../../numeric/mean.js';
import type { RunResult } from '../../results/run-schema.js';

/** What one run has for a data set, target, method and M, over its seeds. ECE in percentage points. */
export interface ComparedCell {
  readonly eceMeanPp: number | null;
  /** Over splits; null below two. */
  readonly eceSePp: number | null;
  /** Over new examples, splits and refits; null where the run has none. */
  readonly eceTotalSePp: number | null;
  /** Seeds that have an ECE, ascending. */
  readonly seeds: readonly number[];
  /** Mean of the finite temperatures, and how many seeds have which kind. */
  readonly temperature: {
    readonly mean: number | null;
    readonly finite: number;
    readonly infinite: number;
    readonly none: number;
  };
  /** Every chosen combination with the seeds that chose it, most frequent first; empty: the method chooses none. */
  readonly references: ReadonlyArray<{ readonly ids: readonly string[]; readonly seeds: number }>;
  /** Means over seeds, in [0, 1]. */
  readonly accuracy: number | null;
  /** null: the method answers everything by nature. */
  readonly coverage: number | null;
  /** Fewest labelled evaluation examples behind a seed. */
  readonly labelledCount: number;
}

/** Seed -> ECE in percentage points, of the seeds that have one. */
export type SeedEces = ReadonlyMap<number, number>;

export interface CellRuns {
  readonly cell: ComparedCell;
  readonly eces: SeedEces;
}

/** Gathers the runs of one data set, target, method and M; one or more. */
export function comparedCell(runs: readonly RunResult[], eceTotalSePp: number | null = null): CellRuns {
  const inOrder = runs.toSorted((a, b) => a.seed - b.seed);
  const eces = new Map(inOrder.flatMap(({ seed, ece }) => (ece === null ? [] : [[seed, 100 * ece] as const])));
  const kinds = (kind: RunResult['temperatureKind']) => inOrder.filter((run) => run.temperatureKind === kind);
  return {
    eces,
    cell: {
      ...ecesOf(eces),
      eceTotalSePp,
      temperature: {
        mean: meanOf(inOrder.map((run) => run.temperature)),
        finite: kinds('finite').length,
        infinite: kinds('infinite').length,
        none: kinds('none').length,
      },
      references: chosenReferences(inOrder),
      accuracy: meanOf(inOrder.map((run) => run.accuracy)),
      coverage: meanOf(inOrder.map((run) => run.coverage)),
      labelledCount: Math.min(...inOrder.map((run) => run.labelledCount)),
    },
  };
}

/** Mean, standard error and seeds of the ECEs of a cell. */
export function ecesOf(eces: SeedEces): Pick<ComparedCell, 'eceMeanPp' | 'eceSePp' | 'seeds'> {
  const values = [...eces.values()];
  return { eceMeanPp: mean(values), eceSePp: standardError(values), seeds: [...eces.keys()] };
}

function chosenReferences(runs: readonly RunResult[]): ComparedCell['references'] {
  const chosen = new Map<string, { ids: readonly string[]; seeds: number }>();
  for (const { selectedReferences: ids } of runs) {
    if (ids === null) continue;
    const key = JSON.stringify(ids);
    chosen.set(key, { ids, seeds: (chosen.get(key)?.seeds ?? 0) + 1 });
  }
  return [...chosen.values()].sort((a, b) => b.seeds - a.seeds || (`${a.ids}` < `${b.ids}` ? -1 : 1));
}

function meanOf(values: ReadonlyArray<number | null>): number | null {
  return mean(values.filter((value) => value !== null));
}
