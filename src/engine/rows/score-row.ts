import type { ScoredRow } from '../../contract/scored-row.js';
import type { Evaluation } from '../protocol/backend.js';
import { massFault, readingFault } from '../protocol/reading-fault.js';

/** What stands in for an evaluation that a backend left out. */
export const NO_RESULT = { kind: 'error', message: 'the backend gave no result' } as const;

/**
 * The row of one evaluation. logZ = maxLogit + ln(totalWeight); optionMass = sum over k of exp(logit_k - logZ), in
 * [0, 1]. Any missing or non-finite number, and any sign that logZ does not cover the whole vocabulary, makes a failed
 * row: a failure is never a number.
 */
export function scoreRow(id: string, evaluation: Evaluation, promptTokens: number): ScoredRow {
  if (evaluation.kind === 'error') return failedRow(id, `evaluation failed: ${evaluation.message}`, promptTokens);
  const fault = readingFault(evaluation);
  if (fault !== null) return failedRow(id, fault, promptTokens);
  const logits = evaluation.logits as readonly number[];
  const logZ = evaluation.maxLogit + Math.log(evaluation.totalWeight);
  const mass = logits.reduce((sum, logit) => sum + Math.exp(logit - logZ), 0);
  const tooMuch = massFault(mass);
  if (tooMuch !== null) return failedRow(id, tooMuch, promptTokens);
  const optionMass = Math.min(1, mass);
  return { status: 'ok', id, logits: Float32Array.from(logits), logZ, optionMass, promptTokens };
}

export function failedRow(id: string, reason: string, promptTokens: number): ScoredRow {
  return { status: 'failed', id, reason, promptTokens };
}
