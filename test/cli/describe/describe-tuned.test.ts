import { expect, it } from 'vitest';
import { describeTuned } from '../../../src/cli/describe/describe-tuned.js';
import type { TunedModels } from '../../../src/pipeline/estimate/tune-models.js';
import type { FoundShape } from '../../../src/scoring/tune/search-shape.js';

const GIVEN = { contexts: 4, sequences: 64, batchSize: 2048 };

const lines = (found: Partial<FoundShape>, more: Partial<TunedModels> = {}) =>
  describeTuned({
    tuned: [
      {
        models: ['base', 'target'],
        given: GIVEN,
        found: { shape: GIVEN, gain: 1, rates: { given: 163.1, found: 163.1 }, trials: 4, isCut: false, ...found },
        reason: null,
        notKept: null,
        ...more,
      },
    ],
    cards: [],
  });

const FASTER = { shape: { ...GIVEN, sequences: 256 }, gain: 1.474, rates: { given: 163.1, found: 240.4 }, trials: 6 };

it('says which shape was found, by how much it is faster, and whether time was up before all were tried', () => {
  expect(lines({})[3]).toBe(
    'base, target  4         64         2048   163.1   163.1           the default, nothing is faster by enough (4 trials)',
  );
  const [, , , row, kept] = lines(FASTER);
  expect(row).toBe('base, target  4         256        2048   240.4   163.1           1.47 x (6 trials)');
  expect(kept).toMatch(/kept in tuned\.json of the cache folder: runs on this card take them/);
  expect(lines({ ...FASTER, isCut: true })[3]).toMatch(/1\.47 x \(6 trials, then time was up\)$/);
});

it('says why a model was not tuned, and of nothing that it is kept where it is not', () => {
  expect(lines({}, { found: null, reason: 'too few prompts' }).slice(3)).toEqual([
    'base, target  4         64         2048                           not tuned: too few prompts',
  ]);
  expect(lines(FASTER, { notKept: 'the disk is full' })).toHaveLength(4);
  expect(describeTuned({ tuned: null, cards: [] })).toEqual([]);
});
