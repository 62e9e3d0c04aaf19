import { type NestedResamples, nestedBootstrap } from '../../src/inference/nested-bootstrap.js';
import { type SignedErrors, signedErrors } from '../../src/inference/signed-errors.js';
import type { ReliabilityBin } from '../../src/metrics/bins/reliability-bin.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { measuredSplits } from './measured-splits.js';
import { dataSet, type World } from './world.js';

/** What one data set says of the methods of a world. */
export interface Trial {
  /** Mean ECE over five splits, as measured. */
  readonly eces: readonly number[];
  /** Deviation of the split ECEs / sqrt(5), the paper's SE over splits. */
  readonly splitErrors: readonly number[];
  /** Signed errors over the same splits. */
  readonly signed: readonly SignedErrors[];
  /** Per method the bins of every split. */
  readonly bins: ReadonlyArray<ReadonlyArray<readonly ReliabilityBin[]>>;
  readonly boot: readonly NestedResamples[];
}

/** Measures and resamples data sets of N examples, one after the other: five splits, refitted temperatures. */
export function* trials(of: World, count: number, [sets, resamples]: readonly [number, number]): Generator<Trial> {
  const generator = seededGenerator(count + 17);
  const clusters = Int32Array.from({ length: count }, (_, n) => n);
  for (let t = 0; t < sets; t++) {
    const methods = dataSet(of, count, generator);
    const design = { clusters, clusterCount: count, calibrationFraction: 0.3, splits: 5, resamples, seed: t + 1 };
    const boot = nestedBootstrap(methods, design);
    const signs = boot.map((each) => each.signs);
    const measured = measuredSplits(methods, signs, [5, 1000 * t]);
    yield {
      eces: measured.map(({ eces }) => moments(eces).mean),
      splitErrors: measured.map(({ eces }) => moments(eces).deviation / Math.sqrt(5)),
      signed: measured.flatMap(({ signed }, m) => (boot[m] === undefined ? [] : [signedErrors(boot[m], signed)])),
      bins: measured.map(({ bins }) => bins),
      boot,
    };
  }
}

export function moments(values: ArrayLike<number>): { mean: number; deviation: number } {
  const list = Array.from(values);
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  const square = list.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(square / (list.length - 1)) };
}
