import { compensatedSum } from '../../numeric/compensated-sum.js';

/** Below this a total weight has lost digits to underflow. */
const UNDERFLOW = 1e-290;

/** Above this, products of a weight with squares of logits could overflow; a weight of one's own may be any number. */
const OVERFLOW = 1e90;

/**
 * The weights as given, or where their sum underflows or is huge, relative to the largest: only ratios of weights count
 * in Eq. (tempobj).
 */
export function scaledWeights(given: Float64Array, logWeights: () => Float64Array): Float64Array {
  const total = compensatedSum(given);
  return total < UNDERFLOW || !(total < OVERFLOW) ? relativeToLargest(logWeights()) : given;
}

function relativeToLargest(logWeights: Float64Array): Float64Array {
  const largest = logWeights.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
  return logWeights.map((each) => (largest === Number.NEGATIVE_INFINITY ? 0 : Math.exp(each - largest)));
}
