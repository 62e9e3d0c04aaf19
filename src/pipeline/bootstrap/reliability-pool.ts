import { eceOfBins } from '../../metrics/bins/bin-errors.js';
import type { Binning } from '../../metrics/bins/binning.js';
import type { ReliabilityBin } from '../../metrics/bins/reliability-bin.js';
import { poolBins } from '../../metrics/bins/reliability-bins.js';
import { binResiduals } from '../../metrics/bootstrap/bin-residuals.js';
import { type BinnedSample, binnedClusters } from '../../metrics/bootstrap/binned-clusters.js';
import { bootstrapBins } from '../../metrics/bootstrap/bootstrap-bins.js';
import type { Evaluation } from '../../metrics/evaluate.js';
import { mean } from '../../numeric/mean.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { BOOTSTRAP_SEED } from './bootstrap-pool.js';
import type { ExampleClusters } from './example-clusters.js';

interface Diagram {
  readonly target: string;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly samples: (readonly ReliabilityBin[])[];
  readonly binned: BinnedSample[];
  /** Rows that some split measured; empty where nobody keeps them. */
  readonly rows: Set<number>;
}

type Measured = Pick<Evaluation, 'bins' | 'examples' | 'confidences' | 'correct'>;

/**
 * Collects the reliability bins of all seeds, for one diagram per target and method, and resamples their accuracies.
 */
export class ReliabilityPool {
  readonly #diagrams = new Map<string, Diagram>();

  /** `resamples` 0: the bins get no intervals. */
  constructor(
    private readonly dataset: string,
    private readonly clusters: ExampleClusters,
    private readonly binning: Binning,
    readonly resamples: number,
  ) {}

  /** @param clustersOf those of the rows of this target */
  ofTarget(target: string, clustersOf: (rows: Int32Array) => Int32Array) {
    return (method: string, combinationSize: number | null, evaluation: Measured | null) => {
      if (evaluation === null) return;
      const key = JSON.stringify([target, method, combinationSize]);
      const diagram = this.#diagrams.get(key) ?? {
        target,
        method,
        combinationSize,
        samples: [],
        binned: [],
        rows: new Set<number>(),
      };
      this.#diagrams.set(key, diagram);
      diagram.samples.push(evaluation.bins);
      for (const row of evaluation.examples) diagram.rows.add(row);
      if (this.resamples === 0) return;
      const { examples, confidences, correct } = evaluation;
      const residuals = binResiduals(confidences, correct, this.binning);
      diagram.binned.push({ clusters: clustersOf(examples), residuals, correct });
    };
  }

  entries(): Diagnostics['reliability'] {
    const diagrams = [...this.#diagrams.values()];
    const intervals =
      this.resamples === 0
        ? []
        : bootstrapBins(
            diagrams.map(({ binned }) => binnedClusters(binned, this.clusters.count)),
            { clusterCount: this.clusters.count, resamples: this.resamples, seed: BOOTSTRAP_SEED },
          );
    return diagrams.map(({ target, method, combinationSize, samples, rows }, d) => {
      const bins = poolBins(samples);
      return {
        dataset: this.dataset,
        target,
        method,
        combinationSize,
        ece: eceOfBins(bins),
        eceMean: mean(samples.map(eceOfBins)),
        splits: samples.length,
        examples: rows.size === 0 ? null : rows.size,
        bins: bins.map((bin, b) => {
          const interval = intervals[d]?.[b] ?? null;
          return { ...bin, accuracyLow: interval?.low ?? null, accuracyHigh: interval?.high ?? null };
        }),
      };
    });
  }
}
