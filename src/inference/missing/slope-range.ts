import { type UntoldRow, withUntoldAt } from './untold-row.js';

/** Between what two numbers something lies; `exact`: both ends are taken by some values of the untold options. */
export interface Range {
  readonly low: number;
  readonly high: number;
  readonly exact: boolean;
}

/** Halvings of an interval of logits: its width ends below the rounding of a float32. */
const HALVINGS = 60;

/**
 * Range of one term of Eq. (firstderiv), E_q[z] - E_p[z] with q = softmax(beta z) and p = softmax(teacher), over all
 * values that the untold options of both may have.
 *
 * E_p[z] is a weighted mean, so its extremes over the teacher's untold weights have the largest weights on the highest
 * logits, or on the lowest. In an untold z_j the term first falls and then rises: its derivative is q_j (1 + beta (z_j
 * - E_q[z])) - p_j, and the first part, where it is above 0 at all, grows with z_j. So the largest value is at an end
 * of the interval and the least at the one root. With two and more untold options of the target both means are bounded
 * on their own, which is a little wider (`exact` is false).
 *
 * @param beta inverse temperature, above 0
 */
export function slopeRange(target: UntoldRow, teacher: UntoldRow, beta: number): Range {
  const { untold, floor } = target;
  if (untold.length > 1) return apart(target, teacher, beta);
  const ends = [withUntoldAt(target, Number.POSITIVE_INFINITY), withUntoldAt(target, floor)];
  // The order of the options by their logits is one for all values of the untold option, which is the lowest.
  const weights = teacherWeights(teacher, ends[0] ?? new Float64Array());
  const highs = ends.flatMap((logits) => weights.map((each) => softmaxMean(logits, beta) - weightedMean(logits, each)));
  const lows = weights.map((each) => {
    const [j] = untold;
    const logits = j === undefined ? ends[0] : lowestSlope(target, j, { beta, share: shareOf(each, j) });
    return softmaxMean(logits ?? [], beta) - weightedMean(logits ?? [], each);
  });
  return { low: Math.min(...lows), high: Math.max(...highs), exact: true };
}

function apart(target: UntoldRow, teacher: UntoldRow, beta: number): Range {
  const { untold, floor } = target;
  const top = withUntoldAt(target, Number.POSITIVE_INFINITY);
  const bottom = withUntoldAt(target, floor);
  const weights = teacherWeights(teacher, top);
  const corners = Array.from({ length: untold.length + 1 }, (_, raised) =>
    top.map((value, k) => (untold.slice(raised).includes(k) ? (bottom[k] ?? value) : value)),
  );
  const highest = Math.max(...corners.map((logits) => softmaxMean(logits, beta)));
  // By symmetry all untold options have one value where the mean is least.
  const lowest = softmaxMean(lowestSlope(target, untold[0] ?? 0, { beta, share: 0 }), beta);
  const means = (logits: ArrayLike<number>) => weights.map((each) => weightedMean(logits, each));
  return { low: lowest - Math.max(...means(top)), high: highest - Math.min(...means(bottom)), exact: false };
}

/** Logits with the untold options at the value at which E_q[z] - share z_j is least. */
function lowestSlope(
  target: UntoldRow,
  j: number,
  { beta, share }: { readonly beta: number; readonly share: number },
): Float64Array {
  const rises = (value: number) => {
    const logits = withUntoldAt(target, value);
    const mean = softmaxMean(logits, beta);
    return softmaxAt(logits, beta, j) * (1 + beta * (value - mean)) > share;
  };
  const top = target.logits[j] ?? 0;
  if (!rises(top)) return withUntoldAt(target, top);
  let step = 1;
  while (rises(top - step) && top - step > target.floor) step *= 2;
  let [low, high] = [Math.max(target.floor, top - step), top];
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (low + high) / 2;
    if (rises(middle)) high = middle;
    else low = middle;
  }
  return withUntoldAt(target, low);
}

/** Weights of the options in p where a weighted mean of the logits can be largest or least, up to a common factor. */
function teacherWeights(teacher: UntoldRow, logits: ArrayLike<number>): Float64Array[] {
  const { untold, floor } = teacher;
  const most = Math.max(...Array.from(teacher.logits));
  const upper = Float64Array.from(teacher.logits, (value) => Math.exp(value - most));
  if (untold.length === 0) return [upper];
  const lower = Math.exp(floor - most);
  const byLogit = untold.toSorted((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0));
  const cuts = Array.from({ length: untold.length + 1 }, (_, n) => n);
  const lowered = (some: readonly number[]) => upper.map((value, k) => (some.includes(k) ? lower : value));
  return cuts.flatMap((cut) => [lowered(byLogit.slice(cut)), lowered(byLogit.slice(0, cut))]);
}

function shareOf(weights: Float64Array, j: number): number {
  return (weights[j] ?? 0) / weights.reduce((sum, each) => sum + each, 0);
}

/** An option of no weight counts for nothing, whatever its logit. */
function weightedMean(logits: ArrayLike<number>, weights: Float64Array): number {
  let [sum, total] = [0, 0];
  for (let k = 0; k < weights.length; k++) {
    const weight = weights[k] ?? 0;
    if (weight === 0) continue;
    sum += weight * (logits[k] ?? 0);
    total += weight;
  }
  return sum / total;
}

function softmaxMean(logits: ArrayLike<number>, beta: number): number {
  return weightedMean(logits, masses(logits, beta));
}

function softmaxAt(logits: ArrayLike<number>, beta: number, j: number): number {
  return shareOf(masses(logits, beta), j);
}

function masses(logits: ArrayLike<number>, beta: number): Float64Array {
  const most = Math.max(...Array.from(logits));
  return Float64Array.from(logits, (value) => Math.exp(beta * (value - most)));
}
