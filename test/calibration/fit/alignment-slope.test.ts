import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignmentSlope } from '../../../src/calibration/fit/alignment-slope.js';
import { weightedBoundaryMargin } from '../../../src/calibration/fit/boundary-margin.js';
import { alignWithModel, alignWithProbabilities, logitGaps } from '../../../src/calibration/fit/teacher-alignment.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { softmax } from '../../../src/numeric/softmax.js';
import { type RandomTarget, randomTarget, SEEDED } from '../random-target.js';

function objectiveOf({ target, ownBase }: RandomTarget) {
  const alignment = alignWithModel(logitGaps(raggedRows(target)), raggedRows(ownBase));
  const weights = Float64Array.from(target, (_, n) => 1 / (n + 1));
  const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);
  return { alignment, weights, totalWeight, rowLifts: null, teacherMeans: alignment.teacherMeans };
}

/** L(beta) as Eq. (tempobj) is written. */
function loss({ target, ownBase }: RandomTarget, beta: number): number {
  let sum = 0;
  let total = 0;
  target.forEach((z, n) => {
    const p = softmax(ownBase[n]!);
    const q = softmax(z, beta);
    p.forEach((pk, k) => {
      sum += (pk * Math.log(pk / q[k]!)) / (n + 1);
    });
    total += 1 / (n + 1);
  });
  return sum / total;
}

test("L'(0) is -M_w, and L' is the slope of the weighted KL divergence", () => {
  fc.assert(
    fc.property(randomTarget, fc.double({ min: 0.05, max: 2, noNaN: true }), (given, beta) => {
      const objective = objectiveOf(given);
      const margin = weightedBoundaryMargin(objective.alignment, objective.weights, objective.totalWeight);
      expect(alignmentSlope(objective, 0).slope).toBeCloseTo(-margin, 12);
      const step = 1e-5;
      const difference = (loss(given, beta + step) - loss(given, beta - step)) / (2 * step);
      expect(alignmentSlope(objective, beta).slope).toBeCloseTo(difference, 7);
    }),
    SEEDED,
  );
});

test("L' never falls, and L'' is its slope", () => {
  fc.assert(
    fc.property(randomTarget, fc.double({ min: 0.05, max: 2, noNaN: true }), (given, beta) => {
      const objective = objectiveOf(given);
      const step = 1e-5;
      const [below, above] = [alignmentSlope(objective, beta - step), alignmentSlope(objective, beta + step)];
      expect(above.slope).toBeGreaterThanOrEqual(below.slope);
      expect(alignmentSlope(objective, beta).curvature).toBeCloseTo((above.slope - below.slope) / (2 * step), 6);
    }),
    SEEDED,
  );
});

test('teacher probabilities may be given in place of teacher logits', () => {
  fc.assert(
    fc.property(randomTarget, ({ target, ownBase }) => {
      const gaps = logitGaps(raggedRows(target));
      const given = alignWithProbabilities(gaps, raggedRows(ownBase.map((row) => softmax(row))));
      const made = alignWithModel(gaps, raggedRows(ownBase));
      given.margins.forEach((margin, n) => {
        expect(margin).toBeCloseTo(made.margins[n]!, 12);
      });
    }),
    { ...SEEDED, numRuns: 30 },
  );
});
