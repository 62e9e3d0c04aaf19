import { shiftedLogTotal } from './log-sum-exp.js';
import type { RaggedRows } from './ragged-rows.js';

/**
 * softmax(inverseTemperature x values) (Guo et al. 2017), float64 and max-shifted (Blanchard, Higham and Higham 2021);
 * a probability below about 1e-323 underflows to 0. At the inverse temperature 0 all K are 1/K, that of -Infinity too.
 */
export function softmax(values: ArrayLike<number>, inverseTemperature = 1): Float64Array {
  const result = new Float64Array(values.length);
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) max = Math.max(max, values[i]!);
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const mass = inverseTemperature === 0 ? 1 : Math.exp(inverseTemperature * (values[i]! - max));
    result[i] = mass;
    total += mass;
  }
  for (let i = 0; i < values.length; i++) result[i]! /= total;
  return result;
}

/**
 * The largest probability of softmax(inverseTemperature x row n) (Guo et al. 2017): to the bit that of `softmax`,
 * without an array.
 */
export function topProbability({ offsets, values }: RaggedRows, n: number, inverseTemperature = 1): number {
  const [start, end] = [offsets[n]!, offsets[n + 1]!];
  if (inverseTemperature === 0) return 1 / (end - start);
  let max = Number.NEGATIVE_INFINITY;
  for (let k = start; k < end; k++) if (values[k]! > max) max = values[k]!;
  let total = 0;
  for (let k = start; k < end; k++) total += Math.exp(inverseTemperature * (values[k]! - max));
  return 1 / total;
}

/**
 * ln softmax(values) (Blanchard, Higham and Higham 2021): finite for finite values, however far apart or far from 0
 * they are.
 */
export function logSoftmax(values: ArrayLike<number>): Float64Array {
  const { max, logTotal } = shiftedLogTotal(values);
  return Float64Array.from(values, (value) => value - max - logTotal);
}
