import { SupportCalError } from '../errors/supportcal-error.js';
import { compensatedSum } from '../numeric/compensated-sum.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import type { AccuracyMethod } from './calibration-method.js';
import { expectedGain, type TargetAnswers } from './fit/expected-gain.js';
import { matchConfidence } from './fit/match-confidence.js';
import { gather } from './fit/teacher-alignment.js';
import type { TemperatureOutcome } from './fit/temperature-outcome.js';

export interface MatchedAccuracy {
  readonly outcome: TemperatureOutcome;
  /** null when there is nothing to estimate from; may leave [0, 1], where no temperature reaches it. */
  readonly estimatedAccuracy: number | null;
}

/**
 * Estimates the target's accuracy on a split by the method's rule and sets the mean confidence to it. Not of the paper:
 * reasoning and trials in bench/study/README.md; mean confidence as accuracy without labels is AC in Garg et al. 2022.
 */
export function matchAccuracy(
  method: AccuracyMethod,
  answers: TargetAnswers,
  gaps: RaggedRows,
  indexes: Int32Array,
): MatchedAccuracy {
  if (indexes.length === 0) return nothing('no-examples');
  const alone = answers.references.length === 0;
  if (method.needs === 'pool' && alone && method.poolOptional !== true) return nothing('no-references');
  const doubt = method.doubt({
    ownBaseDoubt: () => compensatedSum(gather(answers.ownBaseDoubts, indexes)) / indexes.length,
    expectedGain: () => (alone ? 0 : expectedGain(answers, indexes)),
  });
  if (!Number.isFinite(doubt)) {
    const message = `the method "${method.name}" gave a doubt of ${String(doubt)}; expected a finite number, 1 - an accuracy`;
    throw new SupportCalError('bad-input', { field: 'doubt', message });
  }
  return { outcome: matchConfidence(gaps, doubt), estimatedAccuracy: 1 - doubt };
}

function nothing(reason: 'no-examples' | 'no-references'): MatchedAccuracy {
  return { outcome: { kind: 'none', reason, weightedBoundaryMargin: null }, estimatedAccuracy: null };
}
