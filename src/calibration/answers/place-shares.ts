import { argmax } from '../../numeric/argmax.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { rotationCount } from './average-rotations.js';

/** Where the answers of a model stand when the options are shown in all K cyclic orders. */
export interface PlaceShares {
  readonly examples: number;
  /** One answer for each order of each example. */
  readonly answers: number;
  /** By place, the share of the answers that stand there. */
  readonly shares: readonly number[];
  /** What a model would have whose answers follow the options: each option stands at each place once. */
  readonly expected: readonly number[];
  /** Share of the examples whose answer is the same option in all orders. */
  readonly kept: number;
}

/**
 * How far answers follow the place of an option instead of the option, over CAPE's orders (Jiang et al. 2023): each
 * option stands at each place in one of the orders, so that the places of answers have equal shares unless the place
 * decides. With k(n, r) = argmax of rotation r of example n, which stands at place (k(n, r) - r) mod K: share(p) =
 * sum_n sum_r [(k(n, r) - r) mod K = p] / sum_n K_n.
 *
 * @param rotations row n holds K x K logits, rotation by rotation, in the original option order; rotation r
 *   shows option (p + r) mod K at place p
 * @param rows those to look at; null when there are none
 */
export function placeShares(rotations: RaggedRows, rows: Iterable<number>): PlaceShares | null {
  const counts: number[] = [];
  const shown: number[] = [];
  let [examples, answers, kept] = [0, 0, 0];
  for (const row of rows) {
    const options = rotationCount(rotations, row);
    const start = rotations.offsets[row] ?? 0;
    const chosen = Array.from({ length: options }, (_, r) => {
      const from = start + r * options;
      return argmax(rotations.values, from, from + options);
    });
    for (const [r, option] of chosen.entries()) {
      const place = (option - r + options) % options;
      counts[place] = (counts[place] ?? 0) + 1;
    }
    for (let place = 0; place < options; place++) shown[place] = (shown[place] ?? 0) + 1;
    examples++;
    answers += options;
    if (chosen.every((option) => option === chosen[0])) kept++;
  }
  if (examples === 0) return null;
  const shares = shown.map((_, place) => (counts[place] ?? 0) / answers);
  return { examples, answers, shares, expected: shown.map((count) => count / answers), kept: kept / examples };
}
