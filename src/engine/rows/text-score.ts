import type { ScoredRow } from '../../contract/scored-row.js';
import { startsWith } from '../encode/branch-paths.js';
import type { TextScoring } from '../encode/encode-text-row.js';
import type { TextEvaluation } from '../protocol/backend.js';
import { massFault } from '../protocol/reading-fault.js';
import { failedRow } from './score-row.js';

/** A log-probability of 0 may come out so far above it. */
const ROUNDING = 1e-3;

/**
 * The row of one evaluation in text mode. sum_k = sum of ln p(token) over the tokens of option k; the score is sum_k
 * (`sum`), sum_k / tokens (`mean-token`), sum_k / characters (`per-char`), or sum_k - baseline_k (`pmi`), where
 * baseline_k is the same sum after the pmi prompt. The stored logits are the scores and logZ is 0; optionMass is the
 * probability, in [0, 1], that the model goes on with one of the options: an option that another one begins contains
 * it, so it is counted once. Any missing or non-finite number, and any probability above 1, makes a failed row.
 */
export function scoreText(
  { id, promptTokens }: Pick<ScoredRow, 'id' | 'promptTokens'>,
  scoring: TextScoring,
  evaluation: TextEvaluation,
  baseline: TextEvaluation | null,
): ScoredRow {
  const own = sumsOf(evaluation, '');
  if (typeof own === 'string') return failedRow(id, own, promptTokens);
  const base = baseline === null ? null : sumsOf(baseline, ' after the pmi prompt');
  if (typeof base === 'string') return failedRow(id, base, promptTokens);
  const scores = own.map((sum, k) => {
    if (scoring.normalize === 'mean-token') return sum / scoring.continuations[k]!.length;
    if (scoring.normalize === 'per-char') return sum / scoring.characters[k]!;
    return scoring.normalize === 'pmi' ? sum - base![k]! : sum;
  });
  const mass = massOf(scoring.continuations, own);
  const tooMuch = massFault(mass);
  if (tooMuch !== null) return failedRow(id, tooMuch, promptTokens);
  const optionMass = Math.min(1, mass);
  return { status: 'ok', id, logits: Float32Array.from(scores), logZ: 0, optionMass, promptTokens };
}

function sumsOf(evaluation: TextEvaluation, where: string): number[] | string {
  if (evaluation.kind === 'error') return `evaluation failed${where}: ${evaluation.message}`;
  for (const [k, tokens] of evaluation.logProbs.entries()) {
    const bad = tokens.findIndex((value) => value === undefined || !Number.isFinite(value) || value > ROUNDING);
    if (bad < 0) continue;
    const value = tokens[bad];
    const expected = value !== undefined && Number.isFinite(value) ? '0 at most' : 'a finite number';
    return `the log-probability of token ${bad + 1} of option ${k + 1}${where} is ${value ?? 'missing'}; expected ${expected}`;
  }
  return evaluation.logProbs.map((tokens) => tokens.reduce<number>((sum, value) => sum + value!, 0));
}

function massOf(continuations: readonly (readonly number[])[], sums: readonly number[]): number {
  const counted = continuations.map((tokens, k) =>
    continuations.every(
      (other, n) => n === k || !startsWith(tokens, other) || (tokens.length === other.length && k < n),
    ),
  );
  return sums.reduce((mass, sum, k) => mass + (counted[k] ? Math.exp(sum) : 0), 0);
}
