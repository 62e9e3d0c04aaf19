import { type ConfidenceGroups, confidenceGroups, rankedConfidences } from '../../metrics/bins/ranked-confidences.js';
import { clopperPearson, incompleteBeta } from '../law/beta-law.js';
import { betaQuantile } from '../law/beta-quantile.js';

/** Answers at and above a confidence, and what is known of the errors among them. */
export interface GuaranteedThreshold {
  /** The least confidence that is answered. */
  readonly threshold: number;
  /** Labelled examples that are answered, and the wrong ones among them. */
  readonly answered: number;
  readonly errors: number;
  /** Share of questions that are answered, with the interval for new ones. */
  readonly coverage: number;
  readonly coverageLow: number;
  readonly coverageHigh: number;
  /** Share of wrong answers among the answered, with an interval that holds for all thresholds at once. */
  readonly risk: number;
  readonly riskLow: number;
  readonly riskHigh: number;
}

/** Thresholds that are looked at: the surest 1/64, 2/64, ... of the examples. */
const STEPS = 64;

/**
 * Steps from which a walk to lower thresholds may begin. A walk that could begin at one place alone would end there too
 * often: the surest few answers are too few to show anything, and among many answers a low rate of errors is past.
 */
const STARTS = [1, 2, 4, 8, 16, 32, 48, 64];

/**
 * The lowest threshold of confidence at which the rate of errors among the answered, for new questions of the same
 * kind, is at most `maxErrors`: true with probability 1 - miss for each of them (selective risk, Geifman and El-Yaniv
 * 2017). Candidates are tested as Learn then Test does (Angelopoulos, Bates, Candes, Jordan and Lei 2021): the null
 * hypothesis "the rate is higher" by the exact binomial tail, in a fixed order from the surest answers down, with the
 * fallback procedure of Wiens (2003). Each of eight starts has an eighth of `miss`; what a rejected hypothesis had goes
 * on to the next one. Examples of equal confidence are answered together. The threshold itself is drawn from these
 * examples, so that the one which sets it does not count among the trials.
 *
 * @param confidences of N labelled examples
 * @param correct N flags
 * @returns one for each of `maxErrors`; null where none is shown
 */
export function guaranteedThresholds(
  confidences: ArrayLike<number>,
  correct: ArrayLike<number | boolean>,
  maxErrors: readonly number[],
  miss = 0.05,
): (GuaranteedThreshold | null)[] {
  const steps = stepsOf(confidenceGroups(rankedConfidences(confidences, correct)), confidences.length);
  return maxErrors.map((maxError) => {
    const found = lowestShown(steps, maxError, miss);
    return found === null ? null : described(found, confidences.length, miss);
  });
}

interface Step {
  /** Which of the 64 steps it is, at least: examples of equal confidence take several at once. */
  readonly number: number;
  readonly threshold: number;
  readonly answered: number;
  readonly errors: number;
}

/** From the surest answers down. */
function stepsOf({ count, confidences, rights, wrongs }: ConfidenceGroups, examples: number): Step[] {
  const steps: Step[] = [];
  let [answered, errors, next] = [0, 0, 1];
  for (let g = count - 1; g >= 0; g--) {
    answered += (rights[g] ?? 0) + (wrongs[g] ?? 0);
    errors += wrongs[g] ?? 0;
    if (answered * STEPS < next * examples) continue;
    const number = Math.floor((answered * STEPS) / examples);
    steps.push({ number, threshold: confidences[g] ?? Number.NaN, answered, errors });
    next = number + 1;
  }
  return steps;
}

/** The last step whose hypothesis "more errors than `maxError`" is rejected; the levels follow from the order alone. */
function lowestShown(steps: readonly Step[], maxError: number, miss: number): Step | null {
  let [found, level, begun]: [Step | null, number, number] = [null, 0, 0];
  for (const step of steps) {
    const starts = STARTS.filter((start) => start <= step.number).length;
    level += ((starts - begun) * miss) / STARTS.length;
    begun = starts;
    if (level > 0 && isShown(step, maxError, level)) found = step;
    else level = 0;
  }
  return found;
}

/** Errors at or above their mean have a tail of at least one half (Kaas and Buhrman 1980), which shows nothing. */
function isShown({ errors, answered }: Step, maxError: number, level: number): boolean {
  const trials = answered - 1;
  if (level < 1 / 2 && errors >= maxError * trials) return false;
  return binomialTail(errors, trials, maxError) <= level;
}

/** P(at most `hits` of `count` | share) = I_(1 - share)(count - hits, hits + 1). */
function binomialTail(hits: number, count: number, share: number): number {
  return hits >= count ? 1 : incompleteBeta(1 - share, count - hits, hits + 1);
}

function described({ threshold, answered, errors }: Step, examples: number, miss: number): GuaranteedThreshold {
  const risk = clopperPearson(errors, answered, miss / STEPS);
  return {
    threshold,
    answered,
    errors,
    coverage: answered / examples,
    // The share of the population above the k-th largest of N draws has the law Beta(k, N + 1 - k) (Wilks 1941).
    coverageLow: betaQuantile(miss / 2, answered, examples + 1 - answered),
    coverageHigh: betaQuantile(1 - miss / 2, answered, examples + 1 - answered),
    risk: errors / answered,
    riskLow: risk.low,
    riskHigh: risk.high,
  };
}
