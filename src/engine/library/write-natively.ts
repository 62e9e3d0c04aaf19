import type { LlamaContext, LlamaContextSequence, LlamaModel } from 'node-llama-cpp';
import { type NativeReader, sequenceNumber, type WrittenReply, whileOpen } from './native-reader.js';

/** A reply to write: its sequence holds the prompt but for the last token. */
export interface ReplyStart {
  readonly sequence: LlamaContextSequence;
  readonly last: number;
  readonly temperature: number;
  readonly seed: number;
  readonly maxTokens: number;
}

/** Writes replies of a context together; afterwards its sequences hold what they held before. */
export type ReplyWriter = (
  starts: readonly ReplyStart[],
  company: LlamaContextSequence | undefined,
) => Promise<readonly WrittenReply[]>;

/**
 * Free text by our own reader: one call for all tokens of all replies. The library's way takes a call, a sampler, locks
 * and promises on the main thread for each token of each sequence.
 */
export function nativeWriter(
  model: LlamaModel,
  context: LlamaContext,
  { reader, threads }: { readonly reader: NativeReader; readonly threads: number },
): ReplyWriter {
  const { eos, eot } = model.tokens;
  const ends = Float64Array.from([eos, eot].filter((token) => token !== null));
  return async (starts, company) => {
    const filler = starts[0]?.last ?? 0;
    const rows = Float64Array.from(starts.flatMap(numbersOf));
    const beside =
      company === undefined
        ? []
        : numbersOf({ sequence: company, last: filler, temperature: 0, seed: 0, maxTokens: 0 });
    return await whileOpen(context, (native) => reader.write(native, rows, Float64Array.from(beside), ends, threads));
  };
}

function numbersOf({ sequence, last, temperature, seed, maxTokens }: ReplyStart): number[] {
  return [sequenceNumber(sequence), sequence.nextTokenIndex, last, temperature, seed, maxTokens];
}
