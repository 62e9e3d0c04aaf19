import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { sequenceAt } from './sequence-at.js';

export interface PrefixKeeper {
  /** Puts the first `count` sequences in the state after `prefix`; an empty prefix clears them. */
  ready(count: number, prefix: readonly number[]): Promise<void>;
}

/**
 * Keeps the evaluated prefix of sequences from call to call: what stands after it is erased, the prefix is not.
 *
 * A prefix is evaluated in pieces that fit a batch with all sequences of which `together` are used, and never in one
 * sequence alone (that takes other kernels), so that its state does not depend on how many sequences need it. When the
 * state of a sequence no longer reaches back to its first token (a sliding window that dropped some), the prefix is
 * evaluated again.
 */
export function prefixKeeper(
  sequences: readonly LlamaContextSequence[],
  batchSize: number,
  together = sequences.length,
): PrefixKeeper {
  const held: (readonly number[] | null)[] = sequences.map(() => null);
  const piece = Math.max(1, Math.floor(batchSize / together));

  const rewind = async (n: number, prefix: readonly number[]): Promise<boolean> => {
    const sequence = sequenceAt(sequences, n);
    const { length } = prefix;
    const whole =
      held[n] === prefix &&
      sequence.stateCellsStartIndex === 0 &&
      sequence.compareContextTokens(prefix as Token[]).firstDifferentIndex >= length;
    if (!whole) return false;
    await sequence.eraseContextTokenRanges([{ start: length, end: sequence.nextTokenIndex }]);
    return sequence.nextTokenIndex === length && sequence.stateCellsStartIndex === 0;
  };

  const load = async (numbers: readonly number[], prefix: readonly number[]) => {
    for (const n of numbers) held[n] = null;
    await Promise.all(numbers.map((n) => sequenceAt(sequences, n).clearHistory()));
    for (let from = 0; from < prefix.length; from += piece) {
      const tokens = prefix.slice(from, from + piece) as Token[];
      await Promise.all(numbers.map((n) => sequenceAt(sequences, n).controlledEvaluate(tokens)));
    }
    for (const n of numbers) held[n] = prefix;
  };

  return {
    async ready(count, prefix) {
      const used = Array.from({ length: count }, (_, n) => n);
      if (prefix.length === 0) return load(used, prefix);
      const kept = await Promise.all(used.map((n) => rewind(n, prefix)));
      const missing = used.filter((n) => !kept[n]);
      if (missing.length === 1 && together > 1) missing.push(missing[0] === 0 ? 1 : 0);
      if (missing.length > 0) await load(missing.sort(), prefix);
    },
  };
}
