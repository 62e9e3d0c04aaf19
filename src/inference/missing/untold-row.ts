/**
 * One example some of whose options a server did not tell, since they are not among the most probable tokens that it
 * gives. An untold log-probability is at most that of the least probable token that came back.
 */
export interface UntoldRow {
  /** Log-probabilities of the K options; an untold one stands at the upper end of its interval. */
  readonly logits: ArrayLike<number>;
  /** The options that were not told. At least one option is told, and none of those is below an untold one. */
  readonly untold: readonly number[];
  /** Lower end of the interval of an untold option; -Infinity where nothing is known of it. */
  readonly floor: number;
}

/** Options of a row, in the z of Eq. (firstderiv), by the bits of a number as the cache keeps it: bit k is option k. */
export function optionsOfBits(bits: number): readonly number[] {
  const options: number[] = [];
  for (let k = 0; k < 31; k++) if ((bits >>> k) & 1) options.push(k);
  return options;
}

/**
 * The logits z of Eq. (firstderiv) with every untold option at one value, or at the upper end of its interval if that
 * is lower.
 */
export function withUntoldAt({ logits, untold }: UntoldRow, value: number): Float64Array {
  const filled = Float64Array.from(logits);
  for (const k of untold) filled[k] = Math.min(filled[k] ?? value, value);
  return filled;
}
