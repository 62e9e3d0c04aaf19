import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstWave, planWaves } from '../../../src/engine/rows/plan-waves.js';

describe('planWaves', () => {
  it('keeps the order of prompts of one length', () => {
    expect(planWaves([5, 5, 5, 5, 5], 2, 100)).toEqual([[0, 1], [2, 3], [4]]);
  });

  it('puts the longest first and does not mix lengths that differ by more than 1/8', () => {
    expect(planWaves([32, 64, 63, 56, 55], 8, 4096)).toEqual([[1, 2, 3], [4], [0]]);
  });

  it('fills a batch to its last token and not one further', () => {
    expect(planWaves([50, 50, 50], 8, 100)).toEqual([[0, 1], [2]]);
    expect(planWaves([50, 50, 50], 8, 99)).toEqual([[0], [1], [2]]);
  });

  it('gives a prompt longer than a batch a wave of its own', () => {
    expect(planWaves([500, 500], 8, 100)).toEqual([[0], [1]]);
  });

  it('every prompt is in exactly one wave, and no wave exceeds sequences or batch', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 1000 }),
        (lengths, sequences, batch) => {
          const waves = planWaves(lengths, sequences, batch);
          expect(waves.flat().sort((a, b) => a - b)).toEqual(lengths.map((_, index) => index));
          for (const wave of waves) {
            const padded = Math.max(...wave.map((index) => lengths[index]!)) * wave.length;
            expect(wave.length).toBeLessThanOrEqual(sequences);
            expect(wave.length === 1 || padded <= batch).toBe(true);
          }
        },
      ),
    );
  });

  it('keeps prompts apart whose later passes differ by more than an eighth, so that no pass is mostly filler', () => {
    const first = Array<number>(8).fill(100);
    const later = [20, 60, 21, 62, 20, 60, 21, 62];
    expect(planWaves(first, 16, 2048, later)).toEqual([
      [1, 3, 5, 7],
      [0, 2, 4, 6],
    ]);
    expect(planWaves(first, 16, 2048)).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]]);
  });

  it('with later passes puts at least four together where batch and sequences allow, unlike ones too', () => {
    const [first, later] = [
      [100, 90, 95, 80, 70],
      [60, 20, 21, 40, 20],
    ];
    expect(planWaves(first, 16, 2048, later)).toEqual([[0, 3, 2, 1], [4]]);
    expect(planWaves(first, 3, 2048, later)).toEqual([
      [0, 3, 2],
      [1, 4],
    ]);
    expect(planWaves([100, 90], 16, 150, [60, 20])).toEqual([[0], [1]]);
    expect(planWaves([100, 90], 1, 2048, [60, 20])).toEqual([[0], [1]]);
  });
});

describe('firstWave', () => {
  it('takes who waits longest, and of the others those most alike in length, in the order in which they came', () => {
    expect(firstWave([40, 60, 41, 39, 44, 40], 4)).toEqual([0, 2, 3, 5]);
    expect(firstWave([7], 16)).toEqual([0]);
  });

  it('takes what one wave can hold: no two lengths differ by more than 1/8', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (lengths, sequences) => {
          const wave = firstWave(lengths, sequences);
          const chosen = wave.map((index) => lengths[index]!);
          expect(wave[0]).toBe(0);
          expect(planWaves(chosen, sequences, 1e6)).toHaveLength(1);
        },
      ),
    );
  });
});
