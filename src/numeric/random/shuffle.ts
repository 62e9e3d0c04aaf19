import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { seededGenerator } from './seeded-generator.js';

/** Name and version of the shuffle, for reports. Any change to the order it gives needs a new version. */
export const SHUFFLE_GENERATOR = 'fisher-yates/xoroshiro128plus/1';

/**
 * A random order of 0 .. count - 1: Fisher-Yates (Durstenfeld 1964) from the last place down, each partner drawn
 * without bias (rejection). `seed` is a whole number from 0 to 2^53 - 1.
 */
export function shuffle(count: number, seed: number): Int32Array {
  const generator = seededGenerator(seed);
  const order = new Int32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  for (let i = count - 1; i > 0; i--) {
    const j = uniformInt(generator, 0, i);
    const kept = order[i]!;
    order[i] = order[j]!;
    order[j] = kept;
  }
  return order;
}
