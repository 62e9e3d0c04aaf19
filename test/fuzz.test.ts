import { describe, expect, it } from 'vitest';
import { runFuzz } from './fuzz/run-fuzz.js';
import { TARGETS } from './fuzz/targets.js';

/** `npm run test:nightly` runs 10,000 of each. */
const CASES = 120;

describe('mutated input', () => {
  it.each(TARGETS.map(({ name }) => name))(
    'of the kind %s ends in a result or a documented error, never in an exception, a hang or a wrong row',
    async (target) => {
      const { failures, endings } = await runFuzz(target, 20261128, CASES);
      expect(failures).toEqual([]);
      const counts = Object.values(endings);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(CASES);
      // A mutator that is never refused, or always, would test nothing.
      expect(counts.length).toBeGreaterThan(1);
    },
    // A case that hangs a decoder costs seconds until its thread is ended, more on a busy machine.
    180_000,
  );
});
