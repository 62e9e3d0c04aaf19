import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Aggregator, aggregateReplies, firstReplies } from '../../../src/calibration/answers/aggregate-replies.js';
import type { AnswerInputs } from '../../../src/calibration/answers/answer-method.js';
import { ANSWER_METHODS } from '../../../src/calibration/methods.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';

/** Samples of one example as pairs of answer and confidence in %. */
const one = (...samples: [number, number][]) => ({
  answers: [Int32Array.from(samples, ([answer]) => answer)],
  confidences: [Float64Array.from(samples, ([, confidence]) => confidence / 100)],
});
const aggregate = (aggregator: Aggregator, ...samples: [number, number][]) => {
  const { predictions, confidences } = aggregateReplies(one(...samples), aggregator);
  return [predictions[0], confidences[0]];
};

describe('aggregateReplies', () => {
  it('avg-conf: the largest confidence sum wins, over the sum of all', () => {
    expect(aggregate('avg-conf', [1, 90], [0, 40], [0, 40], [2, 30])).toEqual([1, 0.9 / 2]);
    expect(aggregate('avg-conf', [1, 50], [1, 50], [1, 50])).toEqual([1, 1]);
  });

  it('consistency: most votes win, as a share of the votes', () => {
    expect(aggregate('consistency', [1, 90], [0, 40], [0, 40], [2, 30])).toEqual([0, 0.5]);
  });

  it('samples without an answer take no part', () => {
    expect(aggregate('avg-conf', [-1, Number.NaN], [2, 60], [-1, Number.NaN])).toEqual([2, 1]);
    expect(aggregate('consistency', [-1, Number.NaN], [2, 60], [1, 70])).toEqual([1, 0.5]);
    expect(aggregate('avg-conf', [-1, Number.NaN])).toEqual([-1, 0]);
    expect(aggregate('avg-conf')).toEqual([-1, 0]);
  });

  it('ties go to the other measure, then to the lowest index', () => {
    expect(aggregate('avg-conf', [3, 60], [1, 30], [1, 30])).toEqual([1, 0.5]);
    expect(aggregate('consistency', [3, 60], [1, 70])).toEqual([1, 0.5]);
    expect(aggregate('consistency', [3, 60], [1, 60])).toEqual([1, 0.5]);
  });

  it('decimals that add up to the same are tied: 70 % and 10 % with 80 %, in any order', () => {
    // In float64 0.7 + 0.1 is below 0.8, and 0.1 + 0.2 above 0.3.
    expect(aggregate('avg-conf', [0, 70], [0, 10], [1, 80])).toEqual([0, 0.5]);
    expect(aggregate('avg-conf', [3, 30], [3, 0], [1, 10], [1, 20])).toEqual([1, 0.5]);
    expect(aggregate('consistency', [3, 30], [3, 0], [1, 10], [1, 20])).toEqual([1, 0.5]);
    expect(aggregate('avg-conf', [2, 12.5], [2, 12.4], [1, 24.9])).toEqual([2, 0.5]);
  });

  it('samples that are all 0 % sure keep that', () => {
    expect(aggregate('avg-conf', [2, 0], [1, 0], [2, 0])).toEqual([2, 0]);
  });

  it('stays in range, names an answer that was given, and does not depend on the order of the samples', () => {
    const sample = fc.tuple(fc.integer({ min: -1, max: 4 }), fc.integer({ min: 0, max: 100 }));
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 9 }), fc.constantFrom('avg-conf', 'consistency'), (samples, by) => {
        const [answer, confidence] = aggregate(by as Aggregator, ...samples);
        expect(confidence! >= 0 && confidence! <= 1).toBe(true);
        const given = samples.map(([each]) => each).filter((each) => each !== -1);
        expect(given.length === 0 ? answer === -1 : given.includes(answer!)).toBe(true);
        const [again, other] = aggregate(by as Aggregator, ...samples.toReversed());
        expect([again, other]).toEqual([answer, confidence]);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

describe('methods of replies', () => {
  const inputs: AnswerInputs = {
    targetLogits: raggedRows([
      [1, 2],
      [3, 1, 2],
      [0, 5],
    ]),
    ownBaseLogits: raggedRows([
      [1, 2],
      [3, 1, 2],
      [0, 5],
    ]),
    rotationLogits: null,
    elicited: {
      answers: [Int32Array.of(1), Int32Array.of(-1), new Int32Array()],
      confidences: [Float64Array.of(0.8), Float64Array.of(Number.NaN), new Float64Array()],
    },
    truthLogits: raggedRows([[9, 9, Math.log(3), 0], [Math.log(0.25), Math.log(0.75), 0, 5, 0, 5], []]),
  };
  const answer = (name: string) => {
    const found = ANSWER_METHODS.find((method) => method.name === name)!.answer(inputs);
    return found.kind === 'confidences' ? [Array.from(found.predictions), Array.from(found.confidences)] : null;
  };

  it('elicitation leaves out what has no answer', () => {
    expect(answer('elicitation')).toEqual([
      [1, -1, -1],
      [0.8, 0, 0],
    ]);
    expect(Array.from(firstReplies(inputs.elicited!).confidences)).toEqual([0.8, 0, 0]);
  });

  it('elicitation-unparsed-wrong counts it as wrong with 1/K', () => {
    expect(answer('elicitation-unparsed-wrong')).toEqual([
      [1, -2, -2],
      [0.8, 1 / 3, 1 / 2],
    ]);
  });

  it("p-true is the share of yes for the target's own choice; none where it was not scored", () => {
    const [predictions, confidences] = answer('p-true')!;
    expect(predictions).toEqual([1, 0, -1]);
    expect(confidences).toEqual([expect.closeTo(0.75, 12), expect.closeTo(0.25, 12), 0]);
  });
});
