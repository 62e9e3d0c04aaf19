/** Prompts that are evaluated together, as indexes into the list of lengths. */
export type Wave = readonly number[];

/**
 * Groups prompts of like length, longest first (so that a lack of memory shows at once), equal lengths in their order.
 * A wave has at most `sequences` prompts and, padded to its longest one, at most `batchSize` tokens. llama.cpp cuts a
 * batch of unequal sequences into one pass per distinct length, so the backend pads the shorter ones after their last
 * token, which a causal model cannot see from there. Lengths in a wave differ by 1/8 at most: on MedMCQA's lengths 0.7 %
 * of the evaluated tokens are then padding, and a GPU's batches are 95 % full (bench/batch-fill.ts).
 */
export function planWaves(lengths: readonly number[], sequences: number, batchSize: number): Wave[] {
  const order = lengths.map((_, index) => index).sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const waves: Wave[] = [];
  for (let start = 0; start < order.length; ) {
    const longest = lengths[order[start]!]!;
    const room = Math.max(1, Math.min(sequences, Math.floor(batchSize / longest)));
    const shortest = longest - Math.max(1, Math.floor(longest / 8));
    let end = start + 1;
    while (end < order.length && end - start < room && lengths[order[end]!]! >= shortest) end++;
    waves.push(order.slice(start, end));
    start = end;
  }
  return waves;
}
