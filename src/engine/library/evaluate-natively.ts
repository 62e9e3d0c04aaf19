import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';
import { type NativeReader, sequenceNumber, whileOpen } from './native-reader.js';

/** A place of a part whose logits are read, those of `ids` among them. */
export interface NativeReading {
  readonly at: number;
  readonly ids: readonly number[];
  /** `totalWeight` is the sum of exp(logit - maxLogit) over the vocabulary. */
  readonly take: (reading: {
    readonly logits: readonly number[];
    readonly maxLogit: number;
    readonly totalWeight: number;
  }) => void;
}

/** Tokens of a pass that one sequence gets after its first `from` ones, to which it is cut back before. */
export interface NativePart {
  /** It holds so many tokens before the first pass as that pass says, and after the last one. */
  readonly sequence: Pick<LlamaContextSequence, 'nextTokenIndex'>;
  readonly from: number;
  readonly tokens: readonly number[];
  /** The part is filled up to so many tokens with its last one. */
  readonly length: number;
  readonly readings: readonly NativeReading[];
}

/**
 * Evaluates passes one after the other and gives every reading to who takes it. False: nothing was read, and the
 * library is to evaluate them.
 */
export type PassesEvaluator = (passes: Passes) => Promise<boolean>;

type Passes = readonly (readonly NativePart[])[];

/**
 * Passes by our own reader, decoding and reading in one native call: batches are as the library makes them, and so are
 * the numbers. The library's way takes a millisecond of the main thread for each row, in which a card waits, and a pass
 * that waits for a core begins only when that thread comes to it. Null where the reader cannot do so.
 *
 * The evaluator's `restore` puts the sequences back where they were: the reader empties those that it cannot cut back.
 *
 * @param turns passes that may compute at a time in this process
 * @param threads read the rows of a pass
 */
export function nativeEvaluator(
  context: Pick<LlamaContext, 'batchSize'>,
  { reader, turns, threads }: { readonly reader: NativeReader; readonly turns: number; readonly threads: number },
): ((passes: Passes, restore: () => Promise<void>) => Promise<boolean>) | null {
  const { evaluatePasses } = reader;
  if (evaluatePasses === undefined) return null;
  // What cannot be done once (a sequence that drops its first tokens cannot go on from within) never can.
  let able = true;
  return async (passes, restore) => {
    if (!able || !passes.every((pass) => fits(pass, context.batchSize)) || !areAsHeld(passes)) return false;
    let numbers: Float64Array;
    try {
      const packed = packPasses(passes);
      numbers = await whileOpen(context, (native) => evaluatePasses(native, packed, turns, threads));
    } catch {
      able = false;
      await restore();
      return false;
    }
    give(passes, numbers);
    return true;
  };
}

function fits(pass: readonly NativePart[], batchSize: number): boolean {
  const size = pass.reduce((sum, { tokens, length }) => sum + Math.max(length, tokens.length), 0);
  return size > 0 && size <= batchSize && pass.every(({ tokens }) => tokens.length > 0);
}

/** Whether every sequence holds what its first part goes on from. */
function areAsHeld(passes: readonly (readonly NativePart[])[]): boolean {
  const seen = new Set<NativePart['sequence']>();
  return passes.flat().every(({ sequence, from }) => {
    if (seen.has(sequence)) return true;
    seen.add(sequence);
    return sequence.nextTokenIndex === from;
  });
}

/**
 * How many passes; of each how many parts; of each its sequence, `from`, `length`, how many tokens, these, how many
 * readings, and of each `at`, how many ids, these.
 */
export function packPasses(passes: readonly (readonly NativePart[])[]): Int32Array {
  const numbers = [passes.length];
  const list = (all: readonly number[]) => {
    numbers.push(all.length);
    for (const each of all) numbers.push(each);
  };
  for (const pass of passes) {
    numbers.push(pass.length);
    for (const { sequence, from, length, tokens, readings } of pass) {
      numbers.push(sequenceNumber(sequence as LlamaContextSequence), from, length);
      list(tokens);
      numbers.push(readings.length);
      for (const { at, ids } of readings) {
        numbers.push(at);
        list(ids);
      }
    }
  }
  return Int32Array.from(numbers);
}

/** Numbers of each reading: the token of the greatest logit, the total weight, the logits of its ids, the greatest. */
function give(passes: readonly (readonly NativePart[])[], numbers: Float64Array): void {
  let place = 0;
  const next = () => numbers[place++] ?? Number.NaN;
  for (const { ids, take } of passes.flat(2).flatMap(({ readings }) => readings)) {
    next();
    const totalWeight = next();
    const logits = ids.map(next);
    take({ logits, totalWeight, maxLogit: next() });
  }
}
