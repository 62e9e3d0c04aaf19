import type { SeededGenerator } from './seeded-generator.js';

/** Every `stride`-th number of a list, from `offset` on. */
export interface Lane {
  readonly stride: number;
  readonly offset: number;
}

const WHOLE: Lane = { stride: 1, offset: 0 };
const TWO_32 = 0x1_0000_0000;

/**
 * One bootstrap resample (Efron 1979) as counts: `count` draws with replacement from 0 .. count - 1, without bias
 * (rejection), each added to counts[draw x stride + offset]. The counts follow the multinomial law and add up to
 * `count`.
 */
export function drawCounts(
  generator: SeededGenerator,
  count: number,
  counts: Float64Array,
  { stride, offset }: Lane = WHOLE,
): void {
  // The high bits of a draw choose: the lowest ones of xoroshiro128plus are not as random.
  const width = Math.floor(TWO_32 / count);
  const limit = width * count;
  for (let i = 0; i < count; i++) {
    let draw = generator.next() >>> 0;
    while (draw >= limit) draw = generator.next() >>> 0;
    counts[Math.floor(draw / width) * stride + offset]!++;
  }
}
