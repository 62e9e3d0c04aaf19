import type { LlamaContext, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import { longestPath } from '../encode/branch-paths.js';
import { nativeEvaluator } from '../library/evaluate-natively.js';
import { type NativeReader, readNatively } from '../library/native-reader.js';
import { nativeWriter } from '../library/write-natively.js';
import type { ContextRequest, EvaluationContext, TailsRow, TextRow } from '../protocol/backend.js';
import type { BranchContext } from './branches/evaluate-branches.js';
import { evaluateContinuations } from './branches/evaluate-continuations.js';
import { evaluateTails } from './branches/evaluate-tails.js';
import { contextOptions } from './context-options.js';
import { evaluateLetters } from './evaluate-letters.js';
import { generateReplies } from './generate-replies.js';
import { prefixKeeper } from './keep-prefix.js';
import { shortTogether } from './passes-of.js';
import { type FormedRow, writeReplies } from './write-replies.js';

/** A card computes what all contexts ask of it. */
const NO_LIMIT = 2 ** 20;

/**
 * One llama.cpp context with all its sequences taken once and kept; each is cleared, or cut back to the tokens that its
 * next prompt shares with the last one, so that none is lost with a row that fails.
 *
 * @param reader reads logits and writes free text; null: the library does
 */
export async function openLlamaContext(
  model: LlamaModel,
  request: ContextRequest,
  reader: NativeReader | null = null,
): Promise<EvaluationContext> {
  const context = await model.createContext(contextOptions(request));
  if (reader !== null) readNatively(context, reader);
  const writer = reader === null ? null : nativeWriter(model, context, { reader, threads: request.threads });
  const sequences = takeSequences(context, request.sequences);
  const inTurn = request.inTurn !== undefined;
  // A pass on a processor is read by the thread that decoded; a card's has many rows, which several threads read.
  const threads = inTurn ? 1 : request.threads;
  const turns = model.llama.gpu === false ? Math.floor(model.llama.maxThreads / request.threads) : NO_LIMIT;
  const evaluateNatively = reader === null ? null : nativeEvaluator(context, { reader, turns, threads });
  const keeper = prefixKeeper(sequences, context.batchSize, inTurn ? 1 : sequences.length);
  // One sequence alone takes other kernels than several (up to 6e-4 in a logit with Q8_0 weights). Where the batch has
  // room a lone prompt therefore goes in twice: its numbers do not depend on its neighbours.
  const inCompany = <Row>(rows: readonly Row[], tokens: number): readonly Row[] =>
    rows.length === 1 && sequences.length > 1 && !inTurn && 2 * tokens <= context.batchSize ? [...rows, ...rows] : rows;
  const cells = Math.min(context.contextSize, Math.floor(context.getAllocatedContextSize() / request.sequences));
  const textOf = (ids: readonly number[]) => model.detokenize(ids as Token[]);
  const branches = (shared: readonly number[], count: number): BranchContext => {
    const restore = () => keeper.ready(count, shared);
    return {
      kept: shared.length,
      cells,
      batchSize: context.batchSize,
      evaluateNatively: evaluateNatively && ((passes) => evaluateNatively(passes, restore)),
    };
  };
  let together = inTurn ? sequences.length : 1;
  const passesFor = <Row>(rows: readonly Row[], { shared, lengthOf, mayMeet = false }: Kept<Row>) =>
    inTurn ? shortTogether(rows, lengthOf, mayMeet && shared.length === 0 ? together : 1) : [rows];
  /** All rows in one pass, or each as in one of its own: then the numbers of a row are no matter of its neighbours. */
  const inPasses = async <Row, Result>(
    rows: readonly Row[],
    kept: Kept<Row>,
    evaluate: (filled: readonly Row[]) => Promise<readonly Result[]>,
  ): Promise<Result[]> => {
    const results: Result[] = [];
    for (const pass of passesFor(rows, kept)) {
      const filled = inCompany(pass, Math.max(...pass.map(kept.lengthOf)) - kept.shared.length);
      await keeper.ready(filled.length, kept.shared);
      results.push(...(await evaluate(filled)).slice(0, pass.length));
    }
    return results;
  };
  return {
    sequences: request.inTurn ?? request.sequences,
    inTurn,
    apart: () => {
      together = 1;
    },
    close: () => context.dispose(),
    tokensPerSequence: cells,
    batchSize: context.batchSize,
    evaluate: (rows, shared = []) =>
      inPasses(rows, { shared, lengthOf: ({ tokens }) => tokens.length, mayMeet: true }, (filled) =>
        evaluateLetters(sequences, filled, branches(shared, filled.length)),
      ),
    evaluateTexts: (rows, shared = []) => {
      const lengthOf = ({ tokens, continuations }: TextRow) => tokens.length + longestPath(continuations);
      return inPasses(rows, { shared, lengthOf }, (filled) =>
        evaluateContinuations(sequences, filled, branches(shared, filled.length)),
      );
    },
    evaluateTails: (rows, shared = []) => {
      const lengthOf = ({ tokens, tails }: TailsRow) => tokens.length + (tails[0]?.tokens.length ?? 0);
      return inPasses(rows, { shared, lengthOf }, (filled) =>
        evaluateTails(sequences, filled, branches(shared, filled.length)),
      );
    },
    generate: (rows, shared = []) =>
      inPasses(rows, { shared, lengthOf: ({ tokens }) => tokens.length }, (filled) => {
        const formed = filled.filter((row): row is FormedRow => row.form !== null);
        return formed.length === 0
          ? generateReplies(model, sequences, filled, { ...branches(shared, filled.length), writer })
          : writeReplies(sequences, formed, { ...branches(shared, filled.length), textOf });
      }),
  };
}

/** What a call keeps of its rows' beginning, and how long a row is on its first pass. */
interface Kept<Row> {
  readonly shared: readonly number[];
  readonly lengthOf: (row: Row) => number;
  /** Whether rows of their own passes may be evaluated together where that leaves no trace; absent: they may not. */
  readonly mayMeet?: boolean;
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
