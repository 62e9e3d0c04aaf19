import { SupportCalError } from '../../errors/supportcal-error.js';
import type { ThresholdPoint } from '../../results/threshold-schema.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';

/** From which confidence on questions are to be answered; neither: all of them are. */
export interface ThresholdChoice {
  /** Share of wrong answers that the answered questions may have. */
  readonly maxError?: number;
  /** The least confidence that is answered. */
  readonly minConfidence?: number;
}

export interface AnswerThreshold {
  /** A question with a lower confidence is not answered. */
  readonly abstainBelow: number;
  /** The rate of errors that it keeps to; null: a confidence was named. */
  readonly maxError: number | null;
  /** Where it is from: named by the user, shown by labels, or claimed by the confidences themselves. */
  readonly basis: 'given' | 'labels' | 'confidences';
  /** What it means, in one sentence. */
  readonly text: string;
}

/**
 * The threshold that a rate of errors stands for, by the artefact.
 *
 * @param file the artefact as the user named it, for messages
 * @throws SupportCalError bad-input: the artefact has no threshold for that rate
 */
export function answerThreshold(
  { thresholds }: Pick<CalibrationArtefact, 'thresholds'>,
  { maxError, minConfidence }: ThresholdChoice,
  file: string,
): AnswerThreshold | null {
  if (minConfidence !== undefined)
    return { abstainBelow: minConfidence, maxError: null, basis: 'given', text: `answered from ${minConfidence} on` };
  if (maxError === undefined) return null;
  const refuse = (message: string) =>
    new SupportCalError('bad-input', { file, field: 'thresholds', message: `${message}; or take --min-confidence` });
  if (thresholds === null) throw refuse('an earlier version wrote it, without thresholds; export it again');
  // A threshold for fewer errors keeps to more of them too.
  const point = thresholds.points.findLast((each) => each.maxError <= maxError);
  if (point === undefined) {
    const rates = thresholds.points.map((each) => each.maxError).join(', ');
    throw refuse(`has thresholds for --max-error ${rates}, none for ${maxError} or less`);
  }
  const { guaranteed, estimated } = point;
  const found = thresholds.labelled > 0 ? guaranteed : estimated;
  if (found === null) throw refuse(noThreshold(thresholds, point));
  const basis = found === guaranteed ? 'labels' : 'confidences';
  return {
    abstainBelow: found.threshold,
    maxError: point.maxError,
    basis,
    text: thresholdText(point, thresholds.labelled) ?? '',
  };
}

/**
 * What a threshold means, in a sentence; null: there is none. Where rows are labelled, what the confidences claim by
 * themselves is none, since the labels did not show it.
 */
export function thresholdText(
  { maxError, guaranteed, estimated }: ThresholdPoint,
  labelledRows: number,
): string | null {
  const percent = (share: number, digits = 0) => `${(100 * share).toFixed(digits)} %`;
  if (guaranteed !== null) {
    const { threshold, coverage, coverageLow, coverageHigh, risk } = guaranteed;
    const range = `${percent(coverageLow)} to ${percent(coverageHigh)}`;
    return (
      `from ${shown(threshold)} on it may answer alone: ${percent(coverage)} of questions (${range}) with at most ` +
      `${percent(maxError)} errors (${percent(risk, 1)} on the labelled rows)`
    );
  }
  if (estimated === null || labelledRows > 0) return null;
  const { threshold, coverage } = estimated;
  return (
    `by its confidences alone (an estimate, no label says so) it errs in at most ${percent(maxError)} from ` +
    `${shown(threshold)} on: ${percent(coverage)} of questions`
  );
}

/** Rounded up: what is at or above the number shown is at or above the threshold. */
function shown(threshold: number): string {
  const digits = threshold > 0.99 ? 6 : 4;
  return (Math.ceil(threshold * 10 ** digits - 1e-9) / 10 ** digits).toFixed(digits);
}

function noThreshold(
  { labelled, points }: NonNullable<CalibrationArtefact['thresholds']>,
  { maxError, estimated }: ThresholdPoint,
): string {
  if (labelled === 0) return `even its surest answer has a doubt above ${maxError}`;
  const lowest = points.find(({ guaranteed }) => guaranteed !== null);
  const other = lowest === undefined ? '' : `, take --max-error ${lowest.maxError}`;
  const guess =
    estimated === null
      ? ''
      : ` (its confidences claim it from ${shown(estimated.threshold)} on, where the labelled rows have ` +
        `${(100 * (estimated.observedRisk ?? Number.NaN)).toFixed(1)} % errors)`;
  return (
    `no confidence is shown to keep errors at or below ${maxError} by ${labelled} labelled rows${guess}; ` +
    `${whatHelps(maxError, estimated)}${other}`
  );
}

/** Labels show a rate of errors that is there; where the answers have more, they only show that. */
function whatHelps(maxError: number, estimated: ThresholdPoint['estimated']): string {
  if (estimated === null)
    return `even its surest answer has a doubt above ${maxError}: more labels hardly help, a model that is right more often does`;
  const isWorse = estimated.observedRisk !== null && estimated.observedRisk > maxError;
  return isWorse
    ? 'more labels help only if surer answers than these err less; else take a model that is right more often'
    : 'label more rows and export again';
}
