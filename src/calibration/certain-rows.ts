import { areUsableLogits, isUsableLogit } from '../numeric/logit-limits.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';

/**
 * Flags of the N rows that Eq. (tempobj) cannot be fitted on: 1 where some model gives an option the probability 0,
 * whose logit is -Infinity and whose divergence no temperature makes finite. No method is fitted on such a row; metrics
 * count it. null when there is none.
 *
 * @param models logits of the target, its own base and every reference, of the same shape
 */
export function certainRows(models: readonly RaggedRows[]): Uint8Array | null {
  const infinite = models.filter(({ values }) => !areUsableLogits(values));
  const [first] = infinite;
  if (first === undefined) return null;
  return Uint8Array.from({ length: first.rowCount }, (_, n) =>
    Number(infinite.some((logits) => !isFiniteRow(logits, n))),
  );
}

/** The given rows less those that are flagged: what Eq. (tempobj) sums over. */
export function fittable(rows: Int32Array, certain: Uint8Array | null | undefined): Int32Array {
  return certain == null ? rows : rows.filter((n) => certain[n] === 0);
}

function isFiniteRow({ offsets, values }: RaggedRows, n: number): boolean {
  const end = offsets[n + 1] ?? 0;
  for (let k = offsets[n] ?? 0; k < end; k++) if (!isUsableLogit(values[k] ?? Number.NaN)) return false;
  return true;
}
