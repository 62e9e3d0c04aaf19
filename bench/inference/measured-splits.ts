import { fitTemperature } from '../../src/calibration/fit/fit-temperature.js';
import { takeAlignment } from '../../src/calibration/fit/teacher-alignment.js';
import { fixedConfidences } from '../../src/inference/method-curves.js';
import type { ResampledMethod } from '../../src/inference/nested-bootstrap.js';
import { type SplitErrors, splitErrors } from '../../src/inference/signed-errors.js';
import { eceOfBins } from '../../src/metrics/bins/bin-errors.js';
import type { ReliabilityBin } from '../../src/metrics/bins/reliability-bin.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { takeRows } from '../../src/numeric/ragged-rows.js';
import { shuffle } from '../../src/numeric/random/shuffle.js';

/** What S splits gave by the product's own fit and ECE: 30 % to fit on with unit weights, 70 % to measure. */
export interface MeasuredSplits {
  readonly eces: Float64Array;
  /** Signed errors of every split. */
  readonly signed: SplitErrors[];
  readonly bins: ReliabilityBin[][];
}

/** Measures every method on the same splits. */
export function measuredSplits(
  methods: readonly ResampledMethod[],
  signs: readonly Float64Array[],
  [splits, seed]: readonly [number, number],
): MeasuredSplits[] {
  const found = methods.map(() => ({
    eces: new Float64Array(splits),
    signed: [] as SplitErrors[],
    bins: [] as ReliabilityBin[][],
  }));
  for (let s = 0; s < splits; s++) {
    const order = shuffle(methods[0]?.correct.length ?? 0, seed + s);
    const size = Math.floor(0.3 * order.length);
    const evaluation = order.slice(size);
    for (const [m, method] of methods.entries()) {
      const confidences = confidencesOf(method, order.slice(0, size), evaluation);
      const take = (values: ArrayLike<number>) => Float64Array.from(evaluation, (n) => values[n] ?? 0);
      const into = found[m];
      if (into === undefined) continue;
      const bins = reliabilityBins(confidences, take(method.correct));
      into.eces[s] = eceOfBins(bins);
      into.bins.push(bins);
      into.signed.push(splitErrors(take(signs[m] ?? []), confidences, take(method.correct)));
    }
  }
  return found;
}

function confidencesOf(method: ResampledMethod, calibration: Int32Array, evaluation: Int32Array): Float64Array {
  if (method.kind === 'fixed') return Float64Array.from(evaluation, (n) => method.confidences[n] ?? 0);
  if (method.kind === 'matched') throw new Error('the trials fit by weights alone');
  const alignment = takeAlignment(method.alignment, calibration);
  const outcome = fitTemperature(alignment, new Float64Array(calibration.length).fill(1));
  const beta = outcome.kind === 'finite' ? outcome.inverseTemperature : 0;
  const cubics = fixedConfidences(takeRows(method.alignment.gaps, evaluation), beta);
  return Float64Array.from(evaluation, (_, i) => cubics[4 * i] ?? 0);
}
