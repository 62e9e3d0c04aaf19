import { describe, expect, it } from 'vitest';
import type { AnswerInputs, Answers } from '../../../src/calibration/answers/answer-method.js';
import { averageProbabilities } from '../../../src/calibration/answers/average-probabilities.js';
import { averageRotations } from '../../../src/calibration/answers/average-rotations.js';
import { rotationVotes } from '../../../src/calibration/answers/rotation-votes.js';
import { ANSWER_METHODS } from '../../../src/calibration/methods.js';
import { raggedRows, rowOf } from '../../../src/numeric/ragged-rows.js';

const log = (probabilities: number[]) => probabilities.map(Math.log);
/** Two rotations of two options; three of three. */
const TWO = log([0.9, 0.1, 0.4, 0.6]);
const THREE = log([0.5, 0.3, 0.2, 0.2, 0.6, 0.2, 0.1, 0.8, 0.1]);
const probabilities = (logProbs: Float64Array) => Array.from(logProbs, Math.exp);
const close = (values: number[]) => values.map((value) => expect.closeTo(value, 12));

describe('averageRotations', () => {
  it('is the mean of the softmaxed rotations, for examples of different numbers of options', () => {
    // A constant added to a rotation changes nothing: its softmax is the same.
    const shifted = THREE.map((logit, n) => logit + (n < 3 ? 40 : n < 6 ? -7 : 0));
    const average = averageRotations(raggedRows([TWO, shifted]), 'probabilities');
    expect(Array.from(average.offsets)).toEqual([0, 2, 5]);
    expect(probabilities(rowOf(average, 0))).toEqual(close([0.65, 0.35]));
    expect(probabilities(rowOf(average, 1))).toEqual(close([0.8 / 3, 1.7 / 3, 0.5 / 3]));
  });

  it('of log-probabilities is the geometric mean, renormalised', () => {
    const [a, b] = [Math.sqrt(0.9 * 0.4), Math.sqrt(0.1 * 0.6)];
    const average = averageRotations(raggedRows([TWO]), 'log-probabilities');
    expect(probabilities(rowOf(average, 0))).toEqual(close([a / (a + b), b / (a + b)]));
  });

  it('stays finite however far apart the logits are', () => {
    for (const mean of ['probabilities', 'log-probabilities'] as const) {
      const values = averageRotations(raggedRows([[1e4, -1e4, 1e4, -1e4]]), mean).values;
      expect(Array.from(values).every(Number.isFinite)).toBe(true);
      expect(values[1]).toBeCloseTo(-2e4, 6);
    }
  });

  it('ties options that have the same logits in other rotations, to the bit, so that the first one is predicted', () => {
    const first = [5.9, 1.7, 0.3, 0.1];
    const rotations = [first, [1.7, 5.9, 0.3, 0.1], [0, 0, 1, 2], [3.3, 3.3, 0.4, 0]];
    for (const mean of ['probabilities', 'log-probabilities'] as const) {
      const [a, b] = averageRotations(raggedRows([rotations.flat()]), mean).values;
      expect(a).toBe(b);
    }
    // Equal sums of other logits: 3 + 0 and 1 + 2.
    const [a, b, c] = averageRotations(raggedRows([[3, 1, 0, 0, 2, 1, 1, 1, 2]]), 'log-probabilities').values;
    expect([a, a! > c!]).toEqual([b, true]);
    for (let n = 1; n < 400; n++) {
      const row = [n * 0.037, (n * 7) % 3, n * 0.019 - 0.3];
      const { values } = averageProbabilities(raggedRows([row]), raggedRows([row.toReversed()]));
      expect([n, values[0]]).toEqual([n, values[2]]);
    }
  });

  it('refuses a row that is no square of options, by its number', () => {
    expect(() => averageRotations(raggedRows([TWO, [1, 2, 3]]), 'probabilities')).toThrow(/K x K logits.*there are 3/);
  });
});

describe('rotationVotes', () => {
  it('counts the rotations that predict the answer; ties go to the larger averaged probability', () => {
    const tie = log([0.6, 0.4, 0.1, 0.9]);
    const { predictions, confidences } = rotationVotes(raggedRows([THREE, tie, log([0.5, 0.5, 0.5, 0.5])]));
    expect(Array.from(predictions)).toEqual([1, 1, 0]);
    expect(Array.from(confidences)).toEqual([2 / 3, 0.5, 1]);
  });
});

describe('the table of answer methods', () => {
  const inputs: AnswerInputs = {
    targetLogits: raggedRows([log([0.9, 0.1]), log([0.2, 0.3, 0.5])]),
    ownBaseLogits: raggedRows([log([0.3, 0.7]), log([0.6, 0.1, 0.3])]),
    rotationLogits: raggedRows([TWO, THREE]),
  };
  const answer = (name: string): Answers => ANSWER_METHODS.find((method) => method.name === name)!.answer(inputs);
  const distribution = (name: string): number[][] => {
    const found = answer(name);
    if (found.kind !== 'distribution') throw new Error(`${name} has no distribution`);
    return [0, 1].map((n) => probabilities(rowOf(found.logProbs, n)));
  };

  it('own-base-average is the mean of the two distributions', () => {
    expect(distribution('own-base-average')).toEqual([close([0.6, 0.4]), close([0.4, 0.2, 0.4])]);
  });

  it("base-confidence keeps the target's prediction and takes its own base's probability of it", () => {
    const found = answer('base-confidence');
    expect(found).toMatchObject({ kind: 'confidences', predictions: Int32Array.of(0, 2) });
    expect(Array.from((found as { confidences: Float64Array }).confidences)).toEqual(close([0.3, 0.3]));
  });
});
