import type {
  ControlledEvaluateInputItem,
  LlamaContext,
  LlamaContextSequence,
  LlamaModel,
  Token,
} from 'node-llama-cpp';
import { longestPath } from '../encode/branch-paths.js';
import type { ContextRequest, Evaluation, EvaluationContext, EvaluationRow } from '../protocol/backend.js';
import { contextOptions } from './context-options.js';
import { evaluateContinuations } from './evaluate-continuations.js';
import { evaluateTails } from './evaluate-tails.js';
import { generateReplies } from './generate-replies.js';
import { prefixKeeper } from './keep-prefix.js';
import { logitRequest, readingOf } from './read-logits.js';
import { sequenceAt } from './sequence-at.js';
import { type FormedRow, writeReplies } from './write-replies.js';

/**
 * One llama.cpp context with all its sequences taken once and kept; each is cleared, or cut back to the tokens that its
 * next prompt shares with the last one, so that none is lost with a row that fails.
 */
export async function openLlamaContext(model: LlamaModel, request: ContextRequest): Promise<EvaluationContext> {
  const context = await model.createContext(contextOptions(request));
  const sequences = takeSequences(context, request.sequences);
  const keeper = prefixKeeper(sequences, context.batchSize);
  // One sequence alone takes other kernels than several (up to 6e-4 in a logit with Q8_0 weights). Where the batch has
  // room a lone prompt therefore goes in twice: its numbers do not depend on its neighbours.
  const inCompany = <Row>(rows: readonly Row[], tokens: number): readonly Row[] =>
    rows.length === 1 && sequences.length > 1 && 2 * tokens <= context.batchSize ? [...rows, ...rows] : rows;
  const cells = Math.min(context.contextSize, Math.floor(context.getAllocatedContextSize() / request.sequences));
  const textOf = (ids: readonly number[]) => model.detokenize(ids as Token[]);
  return {
    sequences: request.sequences,
    tokensPerSequence: cells,
    batchSize: context.batchSize,
    evaluate: async (rows, shared = []) => {
      const padded = Math.max(...rows.map((row) => row.tokens.length)) - shared.length;
      const filled = inCompany(rows, padded);
      // Row n always goes to sequence n, and all are queued in one turn: the same rows make the same batch.
      await keeper.ready(filled.length, shared);
      const rests = filled.map((row) => ({ ...row, tokens: row.tokens.slice(shared.length) }));
      const evaluations = await Promise.all(rests.map((row, n) => evaluateRow(sequenceAt(sequences, n), row, padded)));
      return evaluations.slice(0, rows.length);
    },
    evaluateTexts: async (rows, shared = []) => {
      const lengths = rows.map((row) => row.tokens.length + longestPath(row.continuations));
      const filled = inCompany(rows, Math.max(...lengths) - shared.length);
      await keeper.ready(filled.length, shared);
      const evaluations = await evaluateContinuations(sequences, filled, shared.length, cells);
      return evaluations.slice(0, rows.length);
    },
    evaluateTails: async (rows, shared = []) => {
      const lengths = rows.map((row) => row.tokens.length + (row.tails[0]?.tokens.length ?? 0));
      const filled = inCompany(rows, Math.max(...lengths) - shared.length);
      await keeper.ready(filled.length, shared);
      const evaluations = await evaluateTails(sequences, filled, shared.length, cells);
      return evaluations.slice(0, rows.length);
    },
    generate: async (rows, shared = []) => {
      const filled = inCompany(rows, Math.max(...rows.map((row) => row.tokens.length)) - shared.length);
      await keeper.ready(filled.length, shared);
      const formed = filled.filter((row): row is FormedRow => row.form !== null);
      const generations =
        formed.length === 0
          ? await generateReplies(model, sequences, filled, shared.length)
          : await writeReplies(sequences, formed, { kept: shared.length, cells, textOf });
      return generations.slice(0, rows.length);
    },
  };
}

function takeSequences(context: LlamaContext, count: number): LlamaContextSequence[] {
  return Array.from({ length: count }, () =>
    context.getSequence({
      contextShift: {
        // Lengths are checked before; this is the second guard against a prompt that silently loses its beginning.
        strategy: () => {
          throw new Error('the prompt does not fit the sequence');
        },
      },
    }),
  );
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
