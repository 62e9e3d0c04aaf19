import { describe, expect, it } from 'vitest';
import { answerThreshold, thresholdText } from '../../../src/pipeline/predict/answer-threshold.js';
import type { ThresholdPoint } from '../../../src/results/threshold-schema.js';

const guaranteed = {
  threshold: 0.60001,
  answered: 63,
  errors: 2,
  coverage: 0.63,
  coverageLow: 0.5,
  coverageHigh: 0.7,
  risk: 0.032,
  riskLow: 0,
  riskHigh: 0.2,
};
const estimated = { threshold: 0.4, coverage: 0.8, risk: 0.05, observedRisk: 0.21 };
const points: ThresholdPoint[] = [
  { maxError: 0.01, guaranteed: null, estimated: null },
  { maxError: 0.05, guaranteed: { ...guaranteed, threshold: 0.7 }, estimated },
  { maxError: 0.1, guaranteed, estimated },
  { maxError: 0.2, guaranteed: null, estimated },
];
const chosen = (maxError: number, labelled: number) => {
  const thresholds = { rule: 'r', level: 0.95, labelled, examples: 100, points, vanilla: points };
  return answerThreshold({ thresholds }, { maxError }, 'a.json');
};

describe('the threshold that a rate of errors stands for', () => {
  it('is that of the highest rate which is not above the one asked for', () => {
    expect([0.05, 0.099, 0.1, 0.19].map((rate) => chosen(rate, 9)?.abstainBelow)).toEqual([0.7, 0.7, 0.60001, 0.60001]);
    expect(chosen(0.099, 9)).toMatchObject({ maxError: 0.05, basis: 'labels' });
    expect(() => chosen(0.009, 9)).toThrow(/has thresholds for --max-error 0\.01, 0\.05, 0\.1, 0\.2, none for 0\.009/);
  });

  it('is what labels show where there are any, and what confidences claim where there are none', () => {
    expect(chosen(0.2, 0)).toMatchObject({ abstainBelow: 0.4, maxError: 0.2, basis: 'confidences' });
    expect(() => chosen(0.2, 9)).toThrow(/no confidence is shown .* 0\.2 by 9 labelled .*, take --max-error 0\.05/);
    expect(() => chosen(0.01, 0)).toThrow(/even its surest answer has a doubt above 0\.01/);
  });

  it.each([
    [
      'errors are few enough',
      { ...estimated, observedRisk: 0.19 },
      /19\.0 % errors\); label more rows and export again/,
    ],
    [
      'there are more errors',
      estimated,
      /21\.0 % errors\); more labels help only if surer answers than these err less/,
    ],
    [
      'no answer is sure',
      null,
      /by 9 labelled rows; even its surest answer has a doubt above 0\.2: more labels hardly help/,
    ],
  ])('is refused with what helps, where %s', (_, found, message) => {
    const none = [{ maxError: 0.2, guaranteed: null, estimated: found }];
    const thresholds = { rule: 'r', level: 0.95, labelled: 9, examples: 9, points: none, vanilla: none };
    expect(() => answerThreshold({ thresholds }, { maxError: 0.2 }, 'a.json')).toThrow(message);
  });

  it('is a confidence that was named, whatever the artefact has', () => {
    const named = answerThreshold({ thresholds: null }, { minConfidence: 0.8, maxError: 0.1 }, 'a.json');
    expect(named).toMatchObject({ abstainBelow: 0.8, maxError: null, basis: 'given' });
    expect(answerThreshold({ thresholds: null }, {}, 'a.json')).toBe(null);
  });

  it('is shown rounded up, so that what is at the number shown is answered', () => {
    expect(thresholdText(points[2]!, 9)).toMatch(
      /^from 0\.6001 on .*: 63 % of questions \(50 % to 70 %\) with at most 10 % errors \(3\.2 % on/,
    );
    const sure = { ...guaranteed, threshold: 0.99999912 };
    expect(thresholdText({ ...points[2]!, guaranteed: sure }, 9)).toMatch(/^from 1\.000000 on/);
    expect(thresholdText({ ...points[2]!, guaranteed: { ...sure, threshold: 0.25 } }, 9)).toMatch(/^from 0\.2500 on/);
    expect(thresholdText(points[3]!, 0)).toMatch(/errs in at most 20 % from 0\.4000 on: 80 % of questions/);
    expect([thresholdText(points[3]!, 9), thresholdText(points[0]!, 0)]).toEqual([null, null]);
  });
});
