import { describe, expect, it } from 'vitest';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { batchNoise } from '../../../src/pipeline/collect/batch-noise.js';
import type { ModelScores } from '../../../src/pipeline/join/dataset-scores.js';

const COUNT = 400;

/** Two options `gap` apart in every row, the better one right in 300 of the 400. */
function scoresOf(gap: number): ModelScores {
  const logits = raggedRows(Array.from({ length: COUNT }, () => [gap, 0]));
  return { logits, rowOfExample: Int32Array.from({ length: COUNT }, (_, i) => i) } as unknown as ModelScores;
}
const labels = Int32Array.from({ length: COUNT }, (_, i) => (i % 4 === 3 ? 1 : 0));

describe('batchNoise', () => {
  it('moves nothing where nothing differs, and gives the standard error of the ECE all the same', () => {
    const noise = batchNoise(scoresOf(3), labels, 0);
    expect(noise).toMatchObject({ flips: 0, ece: { moved: 0 } });
    // One bin: |accuracy - 0.953| has the standard deviation sqrt(0.75 x 0.25 / 400) = 0.0217.
    expect(noise.ece?.se).toBeGreaterThan(0.015);
    expect(noise.ece?.se).toBeLessThan(0.029);
  });

  it('flips as many answers as normal differences of half the size do', () => {
    // The gap has the standard deviation 0.1 x sqrt(2), and 0.1 is 0.707 of it: P(Z < -0.707) = 0.24.
    const { flips } = batchNoise(scoresOf(0.1), labels, 0.2);
    expect(flips / COUNT).toBeGreaterThan(0.22);
    expect(flips / COUNT).toBeLessThan(0.26);
  });

  it('is the same each time, and has no ECE without labels or without logits', () => {
    expect(batchNoise(scoresOf(0.1), labels, 0.2)).toEqual(batchNoise(scoresOf(0.1), labels, 0.2));
    const unlabelled = batchNoise(scoresOf(0.1), new Int32Array(COUNT).fill(-1), 0.2);
    expect(unlabelled.ece).toBeNull();
    const none = { ...scoresOf(0.1), rowOfExample: new Int32Array(COUNT).fill(-1) };
    expect(batchNoise(none, labels, 0.2)).toEqual({ flips: 0, ece: null });
  });
});
