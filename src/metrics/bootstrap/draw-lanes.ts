import { drawCounts, type Lane } from '../../numeric/random/draw-counts.js';
import { seededGenerator } from '../../numeric/random/seeded-generator.js';

export interface BootstrapOptions {
  /** Number of things that are drawn with replacement: examples, or groups of copies of one example. */
  readonly clusterCount: number;
  readonly resamples: number;
  readonly seed: number;
}

/** Resamples that are counted side by side. */
export const LANES = 8;

const LANE_PLACES = Array.from({ length: LANES }, (_, offset): Lane => ({ stride: LANES, offset }));

/**
 * Bootstrap resamples (Efron 1979) in blocks of `LANES`: `visit` gets the draws of every cluster, those of cluster c at
 * c x LANES .. + 7 (an array that the next block uses again), the number of the block's first resample, and how many
 * lanes it has: the last block may have fewer, the rest of its lanes are 0.
 */
export function drawLanes(
  { clusterCount, resamples, seed }: BootstrapOptions,
  visit: (draws: Float64Array, first: number, lanes: number) => void,
): void {
  const generator = seededGenerator(seed);
  const draws = new Float64Array(clusterCount * LANES);
  for (let first = 0; first < resamples; first += LANES) {
    const lanes = Math.min(LANES, resamples - first);
    draws.fill(0);
    for (const lane of LANE_PLACES.slice(0, lanes)) drawCounts(generator, clusterCount, draws, lane);
    visit(draws, first, lanes);
  }
}
