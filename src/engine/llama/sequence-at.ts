/** The sequence that row `n` of a batch goes to. Batches never have more rows than their context has sequences. */
export function sequenceAt<Sequence>(sequences: readonly Sequence[], n: number): Sequence {
  const sequence = sequences[n];
  if (sequence === undefined) throw new RangeError(`row ${n + 1} of a batch of ${sequences.length} sequences`);
  return sequence;
}
