import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectedGain } from '../../../src/calibration/fit/expected-gain.js';
import { poolViews } from '../../../src/calibration/fit/pool-views.js';
import { relativeSupport } from '../../../src/calibration/references/relative-support.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { SEEDED } from '../random-target.js';

const logit = fc.oneof(fc.double({ min: -800, max: 800, noNaN: true }), fc.constant(0));
const example = fc.integer({ min: 2, max: 5 }).chain((options) =>
  fc.record({
    rows: fc.array(fc.array(logit, { minLength: options, maxLength: options }), { minLength: 3, maxLength: 3 }),
    target: fc.integer({ min: 0, max: options - 1 }),
    ownBase: fc.integer({ min: 0, max: options - 1 }),
  }),
);

test('supports and gain are to the bit those of each reference looked at by itself', () => {
  fc.assert(
    fc.property(fc.array(example, { minLength: 1, maxLength: 30 }), (examples) => {
      const pool = [0, 1, 2].map((r) => raggedRows(examples.map(({ rows }) => rows[r]!)));
      const answers = {
        targetPredictions: Int32Array.from(examples, ({ target }) => target),
        ownBasePredictions: Int32Array.from(examples, ({ ownBase }) => ownBase),
        disagreement: Uint8Array.from(examples, ({ target, ownBase }) => (target === ownBase ? 0 : 1)),
      };
      const all = Int32Array.from(examples, (_, n) => n);

      const { supports, gains } = poolViews(pool, answers);

      expect(supports).toEqual(
        pool.map((logits) => relativeSupport(logits, answers.targetPredictions, answers.disagreement)),
      );
      expect(expectedGain({ ...answers, references: pool, gains }, all)).toBe(
        expectedGain({ ...answers, references: pool }, all),
      );
    }),
    SEEDED,
  );
});

test('a reference that gives an option the probability 0 supports it with 0', () => {
  const pool = [raggedRows([[0, Number.NEGATIVE_INFINITY]])];
  const answers = {
    targetPredictions: Int32Array.of(1),
    ownBasePredictions: Int32Array.of(0),
    disagreement: Uint8Array.of(1),
  };
  const { supports, gains } = poolViews(pool, answers);
  expect([supports[0]![0], gains.high[0], gains.low[0]]).toEqual([0, -1, 0]);
});
