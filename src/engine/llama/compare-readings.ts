import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';
import { type NativeReader, readNatively } from '../library/native-reader.js';
import type { Reading } from '../protocol/backend.js';
import { logitRequest, readingOf } from './read-logits.js';

/** The library adds up the weights of a vocabulary in float32. */
const TOTAL_TOLERANCE = 1e-3;

/**
 * Reads the same place by the library and by our own reader, and draws a token with the latter; afterwards the context
 * reads by the reader.
 *
 * @throws Error when logits differ, totals differ by more than the library rounds, or nothing is drawn
 */
export async function compareReadings(
  context: LlamaContext,
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  reader: NativeReader,
): Promise<void> {
  const ids = [0, 1, 2];
  const read = async (): Promise<Reading> => {
    await sequence.clearHistory();
    const [last, ...before] = [...tokens].reverse();
    const input = [...before.reverse(), [last as Token, { generateNext: logitRequest(ids) }] as const];
    const output = await sequence.controlledEvaluate(input as Parameters<typeof sequence.controlledEvaluate>[0]);
    return readingOf(output[tokens.length - 1]?.next, ids);
  };
  const byLibrary = await read();
  readNatively(context, reader);
  const own = await read();
  const logits = ({ logits: those, maxLogit }: Reading) => JSON.stringify([...those, maxLogit]);
  const ratio = own.totalWeight / byLibrary.totalWeight;
  const isEqual = logits(own) === logits(byLibrary) && Math.abs(ratio - 1) <= TOTAL_TOLERANCE;
  const drawn = await sequence
    .evaluate(tokens.slice(-1), {
      temperature: 1,
      topP: 1,
      topK: null as unknown as number,
      seed: 1,
      yieldEogToken: true,
    })
    .next();
  if (!isEqual || drawn.value === undefined)
    throw new Error(
      `our own reader of logits gives ${logits(own)} of ${own.totalWeight}, the library ${logits(byLibrary)} of ` +
        `${byLibrary.totalWeight}, and the token drawn is ${drawn.value}`,
    );
}
