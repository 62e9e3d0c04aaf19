import type { ScoredRow } from '../../contract/scored-row.js';
import type { Evaluation } from '../protocol/backend.js';

/**
 * The row of one evaluation. logZ = maxLogit + ln(totalWeight); optionMass = sum over k of exp(logit_k - logZ), in
 * [0, 1]. Any missing or non-finite number makes a failed row: a failure is never a number.
 */
export function scoreRow(id: string, evaluation: Evaluation, promptTokens: number): ScoredRow {
  if (evaluation.kind === 'error') return failedRow(id, `evaluation failed: ${evaluation.message}`, promptTokens);
  const bad = evaluation.logits.findIndex((logit) => !Number.isFinite(logit));
  if (bad >= 0) {
    return failedRow(
      id,
      `the logit of option ${bad + 1} is ${String(evaluation.logits[bad] ?? 'missing')}; expected a finite number`,
      promptTokens,
    );
  }
  const logits = evaluation.logits as readonly number[];
  const logZ = evaluation.maxLogit + Math.log(evaluation.totalWeight);
  if (!Number.isFinite(logZ)) return failedRow(id, 'the sum over the vocabulary is not finite', promptTokens);
  const optionMass = Math.min(
    1,
    logits.reduce((sum, logit) => sum + Math.exp(logit - logZ), 0),
  );
  return { status: 'ok', id, logits: Float32Array.from(logits), logZ, optionMass, promptTokens };
}

export function failedRow(id: string, reason: string, promptTokens: number): ScoredRow {
  return { status: 'failed', id, reason, promptTokens };
}
