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

/** Logits with zeros in the rows that are flagged: with weight 0 they add nothing to the sums of Eq. (tempobj). */
export function withoutCertain(logits: RaggedRows, certain: Uint8Array | null | undefined): RaggedRows {
  if (certain == null) return logits;
  const values = logits.values.slice();
  for (const [n, flag] of certain.entries()) if (flag === 1) values.fill(0, logits.offsets[n], logits.offsets[n + 1]);
  return { ...logits, values };
}

/** Logits less the largest of their row, none below this: its mass in Eq. (tempobj) is 0 at beta above 0.08. */
const LEAST_GAP = -1e4;

/** Gaps of Eq. (tempobj) that have no infinite ones, of which sums would be no number. */
export function boundedGaps(gaps: RaggedRows): RaggedRows {
  return { ...gaps, values: gaps.values.map((gap) => Math.max(gap, LEAST_GAP)) };
}

function isFiniteRow({ offsets, values }: RaggedRows, n: number): boolean {
  const end = offsets[n + 1] ?? 0;
  for (let k = offsets[n] ?? 0; k < end; k++) if (!isUsableLogit(values[k] ?? Number.NaN)) return false;
  return true;
}
