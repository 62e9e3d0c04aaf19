import { type Binning, binEdge, binIndex } from '../../metrics/bins/binning.js';
import type { UntoldRow } from './untold-row.js';
import { withUntoldAt } from './untold-row.js';

/** One labelled example that an ECE is measured on. */
export interface MeasuredRow {
  readonly target: UntoldRow;
  /** Whether the most probable option is the right one; what is untold does not change that. */
  readonly correct: boolean;
}

/** Steps of beta between the ends of its range; more of them make the bound closer. */
const STEPS = 64;

/**
 * Bounds of Eq. (ece) over all values of the untold options and all inverse temperatures between two. A confidence
 * rises with beta and falls with an untold log-probability, so it is known between what two numbers it lies; in each
 * step of beta every bin then has a range of its sum of confidence less accuracy. An example that may lie in several
 * bins moves the sum of their sizes by no more than its own gap. No value lies outside; that both ends are reached is
 * not said.
 *
 * @returns null for bins of equal mass, or without an example
 */
export function eceRange(
  rows: readonly MeasuredRow[],
  beta: { readonly low: number; readonly high: number },
  binning: Binning,
): { readonly low: number; readonly high: number } | null {
  if (rows.length === 0 || binning.binEdges !== 'equal-width') return null;
  const ends = rows.map(({ target, correct }) => ({
    upper: withUntoldAt(target, Number.POSITIVE_INFINITY),
    lower: withUntoldAt(target, target.floor),
    correct: correct ? 1 : 0,
  }));
  const steps = stepsBetween(beta);
  const found = steps.map(([from, to]) =>
    boundsOf(
      ends.map(({ upper, lower, correct }) => ({
        least: confidenceOf(upper, from) - correct,
        most: confidenceOf(lower, to) - correct,
        correct,
      })),
      binning,
    ),
  );
  return { low: Math.min(...found.map(({ low }) => low)), high: Math.max(...found.map(({ high }) => high)) };
}

/** Steps from one beta to the next, even in beta / (1 + beta), so that the range of 0 to infinity has an end. */
function stepsBetween({ low, high }: { readonly low: number; readonly high: number }): [number, number][] {
  if (low === high) return [[low, high]];
  const [first, last] = [low / (1 + low), Number.isFinite(high) ? high / (1 + high) : 1];
  const at = (n: number) => {
    if (n === 0) return low;
    if (n === STEPS) return high;
    const place = first + ((last - first) * n) / STEPS;
    return place / (1 - place);
  };
  return Array.from({ length: STEPS }, (_, n) => [at(n), at(n + 1)]);
}

/** max softmax(beta z); beta may be infinite. */
function confidenceOf(logits: Float64Array, beta: number): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of logits) most = Math.max(most, value);
  let total = 0;
  // An option of probability 0 stays one at every temperature.
  for (const value of logits) total += value === most ? 1 : value === -Infinity ? 0 : Math.exp(beta * (value - most));
  return 1 / total;
}

interface GapRange {
  /** Least and largest confidence less accuracy. */
  readonly least: number;
  readonly most: number;
  readonly correct: number;
}

function boundsOf(gaps: readonly GapRange[], { bins, edgeRule }: Binning): { low: number; high: number } {
  const edges = Float64Array.from({ length: bins + 1 }, (_, i) => binEdge(i, bins));
  const sums = Array.from({ length: bins }, () => ({ least: 0, most: 0 }));
  let slack = 0;
  for (const { least, most, correct } of gaps) {
    const bin = (gap: number) => binIndex(Math.min(1, gap + correct), edges, edgeRule === 'right-owned');
    const sum = sums[bin(least)];
    if (bin(least) !== bin(most) || sum === undefined) slack += Math.max(Math.abs(least), Math.abs(most));
    else {
      sum.least += least;
      sum.most += most;
    }
  }
  let [low, high] = [-slack, slack];
  for (const { least, most } of sums) {
    high += Math.max(Math.abs(least), Math.abs(most));
    if (least > 0 || most < 0) low += Math.min(Math.abs(least), Math.abs(most));
  }
  return { low: Math.max(0, low / gaps.length), high: Math.min(1, high / gaps.length) };
}
