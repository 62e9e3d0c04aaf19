import type { Binning } from '../../metrics/bins/binning.js';
import { binResiduals } from '../../metrics/bootstrap/bin-residuals.js';
import { type BootstrapSample, bootstrapEce } from '../../metrics/bootstrap/bootstrap-ece.js';
import type { Evaluation } from '../../metrics/evaluate.js';
import type { ExampleClusters } from './example-clusters.js';

/** One seed, so that every target and method of a data set sees the same draws of examples. */
export const BOOTSTRAP_SEED = 1;

/** One method on one target: the seeds that have an ECE, and the mean ECE over them, as measured and per resample. */
export interface BootstrappedMethod {
  readonly target: string;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly seeds: readonly number[];
  /** Per seed, the labelled examples that were measured. */
  readonly examples: readonly Int32Array[];
  readonly ece: number;
  readonly resampled: Float64Array;
}

type Resampled = Pick<Evaluation, 'ece' | 'bins' | 'examples' | 'confidences' | 'correct'>;

interface Group {
  readonly target: string;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly seeds: number[];
  readonly eces: number[];
  readonly samples: BootstrapSample[];
}

/** Collects the evaluations of all targets, methods and seeds of one data set and resamples them together. */
export class BootstrapPool {
  readonly #groups = new Map<string, Group>();

  /** `resamples` 0: nothing is collected. */
  constructor(
    private readonly clusters: ExampleClusters,
    private readonly binning: Binning,
    readonly resamples: number,
  ) {}

  /** Takes the evaluations of one target; `clustersOf` are those of its rows. */
  ofTarget(target: string, clustersOf: (rows: Int32Array) => Int32Array) {
    return (seed: number, method: string, combinationSize: number | null, evaluation: Resampled | null) => {
      if (evaluation === null || this.resamples === 0) return;
      const key = JSON.stringify([target, method, combinationSize]);
      const group = this.#groups.get(key) ?? { target, method, combinationSize, seeds: [], eces: [], samples: [] };
      this.#groups.set(key, group);
      group.seeds.push(seed);
      group.eces.push(evaluation.ece);
      group.samples.push({
        clusters: clustersOf(evaluation.examples),
        residuals: binResiduals(evaluation.confidences, evaluation.correct, this.binning),
      });
    };
  }

  /** Every method of every target, in the order in which they came; those measured on one example alone cannot vary. */
  resample(): BootstrappedMethod[] {
    const groups = [...this.#groups.values()].filter(varies);
    if (groups.length === 0) return [];
    const resampled = bootstrapEce(
      groups.map((group) => group.samples),
      { clusterCount: this.clusters.count, resamples: this.resamples, seed: BOOTSTRAP_SEED },
    );
    return groups.map(({ samples, eces, ...group }, g) => ({
      ...group,
      examples: samples.map(({ clusters }) => clusters),
      ece: eces.reduce((sum, ece) => sum + ece, 0) / samples.length,
      resampled: resampled[g] ?? new Float64Array(),
    }));
  }
}

function varies({ samples }: Group): boolean {
  const first = samples[0]?.clusters[0];
  return samples.some(({ clusters }) => clusters.some((cluster) => cluster !== first));
}
