import { nestedBootstrap } from '../../src/inference/nested-bootstrap.js';
import { seededGenerator } from '../../src/numeric/seeded-generator.js';
import { measuredSplits } from './measured-eces.js';
import { dataSet, type World } from './world.js';

/** What one data set says of two methods. */
export interface PairedTrial {
  /** Mean ECE over five splits, as measured. */
  readonly eces: readonly number[];
  /** Deviation of the split ECEs / sqrt(5), the paper's SE over splits. */
  readonly splitErrors: readonly number[];
  readonly levels: readonly number[];
  /** Resampled mean ECEs. */
  readonly resamples: readonly Float64Array[];
  readonly signed: readonly number[];
  readonly signedMeans: readonly Float64Array[];
  readonly overconfidence: readonly number[];
  readonly overconfidences: readonly Float64Array[];
}

/** Measures and resamples `trials` data sets of N examples: five splits, refitted temperatures. */
export function pairedTrials(of: World, count: number, trials: number, resamples: number): PairedTrial[] {
  const generator = seededGenerator(count + 17);
  const clusters = Int32Array.from({ length: count }, (_, n) => n);
  return Array.from({ length: trials }, (_, t) => {
    const methods = dataSet(of, count, generator);
    const design = { clusters, clusterCount: count, calibrationFraction: 0.3, splits: 5, resamples, seed: t + 1 };
    const boot = nestedBootstrap(methods, design);
    const measured = measuredSplits(
      methods,
      boot.map(({ signs }) => signs),
      [5, 1000 * t],
    );
    return {
      eces: measured.map(({ eces }) => moments(eces).mean),
      splitErrors: measured.map(({ eces }) => moments(eces).deviation / Math.sqrt(5)),
      levels: boot.map(({ level }) => level),
      resamples: boot.map(({ eces }) => eces),
      signed: measured.map(({ signed }) => moments(signed).mean),
      signedMeans: boot.map(({ signedMeans }) => signedMeans),
      overconfidence: boot.map(({ overconfidence }) => overconfidence),
      overconfidences: boot.map(({ overconfidences }) => overconfidences),
    };
  });
}

export function moments(values: ArrayLike<number>): { mean: number; deviation: number } {
  const list = Array.from(values);
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  const square = list.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(square / (list.length - 1)) };
}
