/** Things that are lent and must come back, whatever happens to the borrower. */
export interface SequencePool<S> {
  readonly size: number;
  free(): number;
  /** Lends one sequence to `use` and takes it back; waits when none is free. */
  lend<R>(use: (sequence: S) => Promise<R>): Promise<R>;
}

export function sequencePool<S>(sequences: readonly S[]): SequencePool<S> {
  const idle = [...sequences];
  const waiting: ((sequence: S) => void)[] = [];
  const giveBack = (sequence: S) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(sequence);
    else next(sequence);
  };
  return {
    size: sequences.length,
    free: () => idle.length,
    async lend(use) {
      const sequence = idle.shift() ?? (await new Promise<S>((resolve) => waiting.push(resolve)));
      try {
        return await use(sequence);
      } finally {
        giveBack(sequence);
      }
    },
  };
}
