import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

const TWO_32 = 0x1_0000_0000;
const WARM_UP = 64;

export type SeededGenerator = ReturnType<typeof xoroshiro128plusFromState>;

/**
 * xoroshiro128plus for a seed from 0 to 2^53 - 1. The state starts as (-1, ~low, low, high) of the seed's 32-bit halves
 * and 64 draws are thrown away, since near seeds give near first draws.
 */
export function seededGenerator(seed: number): SeededGenerator {
  const low = (seed % TWO_32) | 0;
  const high = Math.floor(seed / TWO_32) | 0;
  const generator = xoroshiro128plusFromState([-1, ~low, low, high]);
  for (let i = 0; i < WARM_UP; i++) generator.next();
  return generator;
}
