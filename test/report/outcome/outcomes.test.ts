import { expect, test } from 'vitest';
import { aloneSentence, thresholdsInUse } from '../../../src/report/outcome/answering-alone.js';
import { enoughQuestions, enoughText } from '../../../src/report/outcome/enough-questions.js';
import { claimSentence, leadVerdict, verdictsIn } from '../../../src/report/outcome/lead-verdict.js';
import type { ThresholdPoint, Thresholds } from '../../../src/results/threshold-schema.js';
import { exampleResults } from '../example-results.js';

const verdicts = verdictsIn(exampleResults({ datasets: ['d'], targets: ['t', 'u'] }));
const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ');

test('the target with the largest ECE before calibration leads', () => {
  const most = Math.max(...verdicts.map(({ before }) => before!.ecePp));
  expect(leadVerdict(verdicts)!.before!.ecePp).toBe(most);
  expect(leadVerdict([])).toBeNull();
});

test('the claim is one sentence, without what is not known', () => {
  const verdict = { ...verdicts[0]!, claimedBefore: 0.9, accuracy: 0.46, claimedAfter: 0.49 };
  expect(plain(claimSentence(verdict, true))).toBe('t claims 90 % and is right in 46 %; calibrated it claims 49 %.');
  expect(plain(claimSentence({ ...verdict, accuracy: null }, false))).toBe(
    't claims 90 % on d; calibrated it claims 49 %.',
  );
  expect(plain(claimSentence({ ...verdict, use: null }, true))).toBe('t claims 90 % and is right in 46 %.');
  expect(claimSentence({ ...verdict, claimedBefore: null }, true)).toBeNull();
});

/** A mean curve with these ECEs in per cent at 16, 40, 80 ... questions. */
function curve(method: string, eces: readonly number[]) {
  const points = eces.map((ece, i) => ({
    x: i / 10,
    eceMean: ece / 100,
    eceSe: null,
    temperatureMean: 2,
    infinite: 0,
    none: 0,
    fits: 5,
    calibrationCount: [16, 40, 80, 160][i]!,
  }));
  return { dataset: 'd', target: null, method, combinationSize: null, points };
}

/** What verdicts with so many labelled questions have for these methods. */
function verdictsWith(labelledCount: number, ...uses: readonly [method: string, label: string][]) {
  const temperature = { combinationSize: null, temperature: 2, temperatureKind: 'finite' as const };
  return uses.map(([method, label]) => ({ dataset: 'd', labelledCount, use: { ...temperature, method, label } }));
}

test.each([
  [
    [5.8, 5.5, 5.4],
    [11.8, 6.9, 5.6],
    'Auto with 16 unlabelled questions (ECE 5.80 pp) is as good as a fit on 40 to 80 labels',
  ],
  [
    [8, 5.5, 5.4],
    [11.8, 6.9, 5.6],
    'Auto with 40 unlabelled questions (ECE 5.50 pp) is better than a fit on 80 labels, the most that were tried',
  ],
  [
    [6, 6.1, 6],
    [5.9, 5, 4],
    'Auto with 16 unlabelled questions (ECE 6.00 pp) is no better than a fit on 16 labels, the fewest that were tried',
  ],
])('questions that suffice are set against labels: %j and %j', (free, labelled, text) => {
  const sampleSize = [curve('oracle-ts', labelled), curve('auto', free)];
  const [enough] = enoughQuestions({ sampleSize }, verdictsWith(100, ['auto', 'Auto']));
  expect(enoughText(enough!)).toBe(text);
  expect(enoughQuestions({ sampleSize }, verdictsWith(100, ['supportcal', 'SupportCal']))).toEqual([]);
});

test('questions that suffice are counted in the singular where it is one, and without labels to compare with', () => {
  const reach = { dataset: 'd', label: 'Auto', questions: 1, ecePp: 6 };
  expect(enoughText({ ...reach, labels: { above: null, atMost: 1 } })).toBe(
    'Auto with 1 unlabelled question (ECE 6.00 pp) is no better than a fit on 1 label, the fewest that were tried',
  );
  expect(enoughText({ ...reach, labels: null })).toBe(
    'Auto with 1 unlabelled question (ECE 6.00 pp) is as good as with more',
  );
});

test('nothing is said of how many questions suffice where some verdict has too few labels to be checked', () => {
  const sampleSize = [curve('oracle-ts', [9, 5]), curve('auto', [6, 5])];
  expect(enoughQuestions({ sampleSize }, verdictsWith(99, ['auto', 'Auto']))).toEqual([]);
  expect(
    enoughQuestions({ sampleSize }, [...verdictsWith(560, ['auto', 'Auto']), ...verdictsWith(42, ['auto', 'Auto'])]),
  ).toEqual([]);
  const elsewhere = verdictsWith(42, ['auto', 'Auto']).map((each) => ({ ...each, dataset: 'e' }));
  expect(enoughQuestions({ sampleSize }, [...verdictsWith(560, ['auto', 'Auto']), ...elsewhere])).toHaveLength(1);
});

const bound = (threshold: number, coverage: number) => ({
  threshold,
  coverage,
  coverageLow: 0,
  coverageHigh: 1,
  answered: 9,
  errors: 0,
  risk: 0,
  riskLow: 0,
  riskHigh: 0.1,
});

function thresholds(target: string, points: readonly ThresholdPoint[], method = 'supportcal'): Thresholds {
  const size = method === 'vanilla' ? null : 1;
  return {
    dataset: 'd',
    target,
    method,
    combinationSize: size,
    seed: 1,
    level: 0.95,
    labelled: 560,
    examples: 560,
    points: [...points],
  };
}

test('the best threshold of a data set is a sentence, at the smallest rate of errors that is kept to', () => {
  const [none, some] = [null, { threshold: 0.9, coverage: 0.1, risk: 0.04, observedRisk: 0.2 }];
  const points = (a: number) => [
    { maxError: 0.05, guaranteed: none, estimated: some },
    { maxError: 0.1, guaranteed: bound(0.72, a), estimated: none },
  ];
  const all = [thresholds('t', points(0.4)), thresholds('u', points(0.63)), thresholds('v', [])];
  expect(plain(aloneSentence('d', all))).toBe(
    'above 0.72 u may answer alone: 63 % of the questions with at most 10 % errors; 2 of 3 have such a threshold.',
  );
  // What confidences alone estimate does not stand for what labels do not show.
  const unsure = [thresholds('t', [{ maxError: 0.05, guaranteed: none, estimated: some }])];
  expect(plain(aloneSentence('d', unsure))).toBe(
    'no model is shown to keep to even 20 % errors on d, however sure it is.',
  );
  const unlabelled = [
    thresholds('t', [{ maxError: 0.05, guaranteed: none, estimated: { ...some, observedRisk: null } }]),
  ];
  expect(plain(aloneSentence('d', unlabelled))).toBe(
    'above 0.90 t may answer alone: 10 % of the questions with about 5 % errors by its own confidence.',
  );
});

test('thresholds are those of the method that the verdict uses', () => {
  const results = exampleResults({ datasets: ['d'], targets: ['t'] });
  const all = [thresholds('t', [], 'vanilla'), thresholds('t', [], 'supportcal')];
  const [verdict] = verdictsIn(results);
  expect(thresholdsInUse({ ...results, thresholds: all }, [verdict!])).toEqual([all[1]]);
  expect(thresholdsInUse({ ...results, thresholds: all }, [{ ...verdict!, use: null }])).toEqual([all[0]]);
});
