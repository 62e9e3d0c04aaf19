import type { ScoredRow } from '../scoring/scored-row.js';
import type { TailsEvaluation } from './backend.js';
import { failedRow, scoreRow } from './score-row.js';

/**
 * The row of one example under K orders of its options: K x K raw logits, rotation by rotation, each in the ORIGINAL
 * order of the options; logZ of the first rotation; the mean of the rotations' option masses. One rotation that fails
 * fails the row.
 *
 * @param evaluatedTokens of the stem once and of every tail
 */
export function scoreRotations(id: string, evaluation: TailsEvaluation, evaluatedTokens: number): ScoredRow {
  if (evaluation.kind === 'error') return failedRow(id, `evaluation failed: ${evaluation.message}`, evaluatedTokens);
  const logits: number[] = [];
  let [logZ, mass] = [Number.NaN, 0];
  for (const [r, reading] of evaluation.readings.entries()) {
    const row = scoreRow(id, { kind: 'logits', ...reading }, evaluatedTokens);
    if (row.status === 'failed') return { ...row, reason: `rotation ${r + 1}: ${row.reason}` };
    logits.push(...Array.from(row.logits));
    if (r === 0) logZ = row.logZ;
    mass += row.optionMass;
  }
  const optionMass = mass / evaluation.readings.length;
  return { status: 'ok', id, logits: Float32Array.from(logits), logZ, optionMass, promptTokens: evaluatedTokens };
}
