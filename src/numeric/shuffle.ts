import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** Name and version of the shuffle, for reports. Any change to the order it gives needs a new version. */
export const SHUFFLE_GENERATOR = 'fisher-yates/xoroshiro128plus/1';

const TWO_32 = 0x1_0000_0000;
const WARM_UP = 64;

/**
 * A random order of 0 .. count - 1: Fisher-Yates from the last place down, each partner drawn without bias (rejection).
 * `seed` is a whole number from 0 to 2^53 - 1. The state starts as (-1, ~low, low, high) of the seed's 32-bit halves
 * and 64 draws are thrown away, since near seeds give near first draws.
 */
export function shuffle(count: number, seed: number): Int32Array {
  const low = (seed % TWO_32) | 0;
  const high = Math.floor(seed / TWO_32) | 0;
  const generator = xoroshiro128plusFromState([-1, ~low, low, high]);
  for (let i = 0; i < WARM_UP; i++) generator.next();
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
