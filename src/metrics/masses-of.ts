import { expOfGap } from '../numeric/exp-of-gap.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';

/** Where the masses of one row after the other are written, and at which inverse temperature. */
export interface RowMasses {
  readonly beta: number;
  /** As long as the longest row, or longer. */
  readonly masses: Float64Array;
}

/**
 * Writes exp(beta (z_k - z_max)) of row n into the front of `masses`: 1 for the prediction. Returns the sum of the
 * others, by Neumaier (1974): the same logits in another option order must be the same confidence to the last bit, or
 * ties of AUROC and equal-mass bins would break by rounding. At beta 0 all are 1, that of a logit of -Infinity too.
 */
export function massesOf(
  { offsets, values }: RaggedRows,
  n: number,
  predicted: number,
  { beta, masses }: RowMasses,
): number {
  const start = offsets[n]!;
  const count = offsets[n + 1]! - start;
  if (beta === 0) {
    masses.fill(1, 0, count);
    return count - 1;
  }
  const max = values[start + predicted]!;
  let rest = 0;
  let lost = 0;
  for (let k = 0; k < count; k++) {
    if (k === predicted) continue;
    const mass = expOfGap(beta * (values[start + k]! - max));
    const sum = rest + mass;
    // What the sum lost, by Knuth's six operations: a comparison of the two would be guessed wrong half of the time.
    const kept = sum - rest;
    lost += rest - (sum - kept) + (mass - kept);
    rest = sum;
    masses[k] = mass;
  }
  masses[predicted] = 1;
  return rest + lost;
}
