import { firstOrderFailed, withFirstOrder } from '../../contract/first-order.js';
import type { ModelRow, ScoredRow } from '../../contract/scored-row.js';
import type { EncodedRotations } from '../encode/encode-rotations.js';
import type { ReadyPrompt } from '../encode/encoded-prompt.js';
import { type EncodedLetters, tailsAfterPlain } from '../encode/plain-stem.js';
import { allTokens } from '../encode/prompt-size.js';
import type { EvaluationContext, TailsEvaluation } from '../protocol/backend.js';
import { scoreRotations } from './score-rotations.js';
import { NO_RESULT, scoreRow } from './score-row.js';

/**
 * Evaluates plain prompts, each followed by the other orders of its options: the stem of an example is evaluated with
 * its plain prompt and kept for the other orders. A plain row is what the prompt gives by itself; a row of orders has
 * all K of them. An example whose evaluation fails is evaluated again by `apart`, prompt by prompt, so that the other
 * orders cannot take the plain row with them.
 */
export async function evaluateWithPlain(
  context: EvaluationContext,
  prompts: readonly ReadyPrompt[],
  shared: readonly number[],
  apart: (prompt: ReadyPrompt) => Promise<ModelRow[]>,
): Promise<ModelRow[]> {
  const examples = examplesIn(prompts);
  const evaluations = await context.evaluateTails(
    examples.map(([plain, rotated]) => tailsAfterPlain(plain, rotated)),
    shared,
  );
  const rows: ModelRow[] = [];
  for (const [n, example] of examples.entries()) {
    const evaluation = evaluations[n];
    if (evaluation?.kind === 'readings') rows.push(...rowsOf(example, evaluation));
    else for (const prompt of example) rows.push(...(await apart(prompt)));
  }
  return rows;
}

type Example = readonly [EncodedLetters, EncodedRotations];

function examplesIn(prompts: readonly ReadyPrompt[]): Example[] {
  return prompts.flatMap((plain, n): Example[] => {
    const rotated = prompts[n + 1];
    return plain.kind === 'ok' && rotated?.kind === 'rotations' ? [[plain, rotated]] : [];
  });
}

function rowsOf(
  [plain, rotated]: Example,
  { readings: [first, ...others] }: Extract<TailsEvaluation, { kind: 'readings' }>,
): ScoredRow[] {
  const plainRow = scoreRow(
    plain.id,
    first === undefined ? NO_RESULT : { kind: 'logits', ...first },
    plain.tokens.length,
  );
  const row = scoreRotations(rotated.id, { kind: 'readings', readings: others }, allTokens(rotated));
  if (row.status === 'failed') return [plainRow, row];
  return [plainRow, plainRow.status === 'ok' ? withFirstOrder(plainRow, row) : firstOrderFailed(row, plainRow.reason)];
}
