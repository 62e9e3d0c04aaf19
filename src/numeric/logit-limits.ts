/** Logits beyond this leave no room for their squares and sums in float64; real ones are below 1e5. */
export const LARGEST_LOGIT = 1e100;

/** Logits of a row that differ by less are equal: a temperature for them would be below what float64 can invert. */
export const LEAST_SPREAD = 1e-100;

/** Finite and small enough to calculate with; false for NaN. */
export function isUsableLogit(value: number): boolean {
  return Math.abs(value) <= LARGEST_LOGIT;
}

/** `isUsableLogit` of all of them. */
export function areUsableLogits(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (!isUsableLogit(values[i]!)) return false;
  return true;
}

/**
 * Whether a row of K option scores has a softmax (Sec. preliminaries) that can be measured: none is NaN or beyond the
 * limit, and at least one is finite. A score of -Infinity is an option of probability 0.
 */
export function isMeasurableRow(values: Float64Array, start = 0, end = values.length): boolean {
  let finite = false;
  for (let k = start; k < end; k++) {
    const value = values[k] ?? Number.NaN;
    if (isUsableLogit(value)) finite = true;
    else if (value !== Number.NEGATIVE_INFINITY) return false;
  }
  return finite;
}
