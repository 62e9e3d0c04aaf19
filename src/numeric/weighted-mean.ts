import { CompensatedSum } from './compensated-sum.js';

/**
 * sum_n w_n x_n / totalWeight, the mean of Eq. (tempobj), with compensated sums (Neumaier 1974); rows of weight 0 are
 * not read, so their x may be anything. `totalWeight` is above 0.
 */
export function weightedMean(values: Float64Array, weights: Float64Array, totalWeight: number): number {
  const sum = new CompensatedSum();
  for (let n = 0; n < values.length; n++) if (weights[n] !== 0) sum.add(weights[n]! * values[n]!);
  return sum.value / totalWeight;
}
