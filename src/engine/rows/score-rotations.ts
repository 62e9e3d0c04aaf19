import type { ScoredRow } from '../../contract/scored-row.js';
import { orderNumber } from '../encode/encode-rotations.js';
import type { TailsEvaluation } from '../protocol/backend.js';
import { failedRow, scoreRow } from './score-row.js';

/**
 * The row of one example under several orders of its K options: K raw logits an order, each in the ORIGINAL order of
 * the options; logZ of the first of them; the mean of their option masses. One order that fails fails the row.
 *
 * @param evaluatedTokens of the stem once and of every tail
 */
export function scoreRotations(id: string, evaluation: TailsEvaluation, evaluatedTokens: number): ScoredRow {
  if (evaluation.kind === 'error') return failedRow(id, `evaluation failed: ${evaluation.message}`, evaluatedTokens);
  const { readings } = evaluation;
  const logits: number[] = [];
  let [logZ, mass] = [Number.NaN, 0];
  for (const [r, reading] of readings.entries()) {
    const row = scoreRow(id, { kind: 'logits', ...reading }, evaluatedTokens);
    if (row.status === 'failed') {
      const order = orderNumber(r, readings.length, reading.logits.length);
      return { ...row, reason: `rotation ${order}: ${row.reason}` };
    }
    logits.push(...Array.from(row.logits));
    if (r === 0) logZ = row.logZ;
    mass += row.optionMass;
  }
  const optionMass = mass / readings.length;
  return { status: 'ok', id, logits: Float32Array.from(logits), logZ, optionMass, promptTokens: evaluatedTokens };
}
