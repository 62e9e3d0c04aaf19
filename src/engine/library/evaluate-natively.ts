import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';
import { type NativePrompt, type NativeReader, nativeContext, sequenceNumber } from './native-reader.js';

/** A prompt, and the tokens whose logits are wanted at its end. */
interface PassRow {
  readonly tokens: readonly number[];
  readonly optionIds: readonly number[];
}

/** `totalWeight` is the sum of exp(logit - maxLogit) over the vocabulary. */
type PassResult =
  | {
      readonly kind: 'logits';
      readonly logits: readonly number[];
      readonly maxLogit: number;
      readonly totalWeight: number;
    }
  | { readonly kind: 'error'; readonly message: string };

/**
 * Evaluates rows in one pass, row n in sequence n, after the first `kept` tokens of each, which its sequence holds.
 * Null: they are more than a batch holds, and the library evaluates them in several.
 */
type PassEvaluator = (rows: readonly PassRow[], kept: number) => Promise<readonly PassResult[]> | null;

/**
 * Passes by our own reader, decoding and reading in one native call: the batch is as the library makes it, and so are
 * the numbers. The library's way takes a millisecond of the main thread for each row, and a pass that waits for a core
 * begins only when that thread comes to it. Null where the reader cannot do so.
 *
 * @param turns passes that may compute at a time in this process
 */
export function nativeEvaluator(
  context: Pick<LlamaContext, 'batchSize'>,
  sequences: ReadonlyArray<Pick<LlamaContextSequence, never>>,
  { reader, turns }: { readonly reader: NativeReader; readonly turns: number },
): PassEvaluator | null {
  const { evaluate } = reader;
  if (evaluate === undefined) return null;
  const numbers = sequences.map(sequenceNumber);
  const evaluatePass = async (prompts: readonly NativePrompt[], kept: number): Promise<PassResult[]> => {
    try {
      const readings = await evaluate(nativeContext(context), kept, turns, prompts);
      return readings.map(([_, totalWeight = Number.NaN, ...logits]) => {
        const maxLogit = logits.pop() ?? Number.NaN;
        return { kind: 'logits', logits, maxLogit, totalWeight };
      });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return prompts.map(() => ({ kind: 'error', message }));
    }
  };
  return (rows, kept) => {
    const prompts = rows.map(({ tokens, optionIds }, n) => {
      return { sequence: numbers[n] ?? -1, tokens: tokens.slice(kept), wanted: optionIds };
    });
    // Each is filled up to the longest.
    const size = prompts.length * Math.max(...prompts.map(({ tokens }) => tokens.length));
    return size > context.batchSize ? null : evaluatePass(prompts, kept);
  };
}
