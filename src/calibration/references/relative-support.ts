import { logSumExp } from '../../numeric/log-sum-exp.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { zerosBeside } from '../../numeric/shared-array.js';

/**
 * Relative support of a reference for the target's prediction, Eq. (relsupport):
 * u_n = p_n[yhat_n] / max_k p_n[k] = exp(v_n[yhat_n] - max_k v_n[k]), in (0, 1].
 *
 * Taken from logits, never from probabilities. A gap above about 745 underflows to 0. Where `only` is given, rows with
 * only[n] = 0 are skipped and hold 0: the agreement region needs no support.
 */
export function relativeSupport(logits: RaggedRows, predictions: Int32Array, only?: Uint8Array): Float64Array {
  const { rowCount } = logits;
  const support = zerosBeside(logits.values, Float64Array, rowCount);
  for (let n = 0; n < rowCount; n++) {
    if (only !== undefined && only[n] === 0) continue;
    support[n] = Math.exp(logRelativeSupport(logits, predictions, n));
  }
  return support;
}

/** ln u_n of Eq. (relsupport) = v_n[yhat_n] - max_k v_n[k], 0 or below: finite where u_n itself underflows. */
export function logRelativeSupport(logits: RaggedRows, predictions: Int32Array, n: number): number {
  const { offsets, values } = logits;
  const start = offsets[n]!;
  const end = offsets[n + 1]!;
  let max = values[start]!;
  for (let k = start + 1; k < end; k++) {
    const value = values[k]!;
    if (value > max) max = value;
  }
  return values[start + predictions[n]!]! - max;
}

/** Corroboration c_n(S), Eq. (corroboration): mean over the references in S of their relative support, in (0, 1]. */
export function corroboration(supports: readonly Float64Array[], n: number): number {
  let sum = 0;
  for (const support of supports) sum += support[n]!;
  return sum / supports.length;
}

/** ln c_n(S), Eq. (corroboration), from the ln u_n of the references in S. */
export function logCorroboration(logSupports: ReadonlyArray<(n: number) => number>, n: number): number {
  return logSumExp(logSupports.map((logSupport) => logSupport(n))) - Math.log(logSupports.length);
}
