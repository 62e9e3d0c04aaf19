import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp';
import type { NativePart } from '../library/evaluate-natively.js';
import type { Evaluation, EvaluationRow } from '../protocol/backend.js';
import type { BranchContext } from './branches/evaluate-branches.js';
import { logitRequest, readingOf } from './read-logits.js';
import { sequenceAt } from './sequence-at.js';

/**
 * Option logits at the end of every prompt, all in one pass. Row n goes to sequence n, which holds the prompt's first
 * `kept` tokens. A row that fails is an `error`; the others go on.
 */
export async function evaluateLetters(
  sequences: readonly LlamaContextSequence[],
  rows: readonly EvaluationRow[],
  { kept, evaluateNatively }: Pick<BranchContext, 'kept' | 'evaluateNatively'>,
): Promise<Evaluation[]> {
  const rests = rows.map((row) => ({ ...row, tokens: row.tokens.slice(kept) }));
  const padded = Math.max(...rests.map(({ tokens }) => tokens.length));
  if (evaluateNatively) {
    const found: Evaluation[] = [];
    const parts = rests.map(({ tokens, optionIds }, n): NativePart => {
      const take: NativePart['readings'][number]['take'] = (reading) => {
        found[n] = { kind: 'logits', ...reading };
      };
      const readings = [{ at: tokens.length - 1, ids: optionIds, take }];
      return { sequence: sequenceAt(sequences, n), from: kept, tokens, length: padded, readings };
    });
    if (await evaluateNatively([parts])) return found;
  }
  // All are queued in one turn: the same rows make the same batch.
  return await Promise.all(rests.map((row, n) => evaluateRow(sequenceAt(sequences, n), row, padded)));
}

async function evaluateRow(sequence: LlamaContextSequence, row: EvaluationRow, padded: number): Promise<Evaluation> {
  try {
    const output = await sequence.controlledEvaluate(inputOf(row, padded));
    return { kind: 'logits', ...readingOf(output[row.tokens.length - 1]?.next, row.optionIds) };
  } catch (error) {
    return { kind: 'error', message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The prompt with the request for logits at its last token, filled up to the longest prompt of the batch: llama.cpp
 * evaluates sequences of one length in one pass. The filler stands after the position that is read.
 */
function inputOf({ tokens, optionIds }: EvaluationRow, padded: number): ControlledEvaluateInputItem[] {
  const last = tokens[tokens.length - 1] as Token;
  const input: ControlledEvaluateInputItem[] = tokens.slice(0, -1).map((token) => token as Token);
  input.push([last, { generateNext: logitRequest(optionIds) }]);
  while (input.length < padded) input.push(last);
  return input;
}
