import type { SeededGenerator } from '../../numeric/random/seeded-generator.js';

const TWO_32 = 0x1_0000_0000;

/**
 * `count` draws of N(0, 1) by Marsaglia's polar method (Marsaglia and Bray 1964) from 32-bit uniforms: pairs (x, y) in
 * the unit disc times sqrt(-2 ln s / s), s = x^2 + y^2.
 */
export function normalDraws(generator: SeededGenerator, count: number): Float64Array {
  const draws = new Float64Array(count);
  for (let i = 0; i < count; i += 2) {
    let [x, y, s] = [0, 0, 0];
    while (s >= 1 || s === 0) {
      x = 2 * uniformDraw(generator) - 1;
      y = 2 * uniformDraw(generator) - 1;
      s = x * x + y * y;
    }
    const scale = Math.sqrt((-2 * Math.log(s)) / s);
    draws[i] = x * scale;
    if (i + 1 < count) draws[i + 1] = y * scale;
  }
  return draws;
}

/** A uniform draw in (0, 1): (u + 1/2) / 2^32 for a draw u of the generator (Blackman and Vigna 2018). */
export function uniformDraw(generator: SeededGenerator): number {
  return ((generator.next() >>> 0) + 0.5) / TWO_32;
}
