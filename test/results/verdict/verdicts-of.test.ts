import { describe, expect, it } from 'vitest';
import type { Results } from '../../../src/results/results-schema.js';
import { type CellInference, summariseRuns } from '../../../src/results/summarise-runs.js';
import { verdictsOf } from '../../../src/results/verdict/verdicts-of.js';
import type { Verdict } from '../../../src/results/verdict-schema.js';
import { exampleRun } from '../../report/example-results.js';

interface Measured {
  readonly method: string;
  readonly ecePp: number;
  /** How often a calibrated model would show as much. */
  readonly calibratedPValue?: number | null;
  readonly tiedWithBest?: boolean | null;
  readonly intervalPp?: readonly [number, number];
  readonly temperature?: number | null;
  readonly claimed?: number;
  /** Questions behind the ECE; default: those of the target. */
  readonly count?: number;
  readonly combinationSize?: number | null;
  /** Total standard error, in pp. */
  readonly se?: number | null;
  /** Those of the two seeds in place of `temperature`: 'none' where there is no fit. */
  readonly temperatures?: ReadonlyArray<number | null | 'none'>;
}

interface Shape extends Partial<Pick<Results, 'health' | 'diagnostics'>> {
  readonly labelledCount?: number;
  readonly right?: number;
  readonly baseRight?: number;
}

/** One target on one data set with the given methods, two seeds each. */
function judged(methods: readonly Measured[], shape: Shape = {}): Verdict {
  const { labelledCount = 560, right = 0.6, baseRight = 0.55, ...rest } = shape;
  const runs = methods.flatMap(
    ({ method, ecePp, claimed = 0.6, count = labelledCount, combinationSize = null, ...of }) =>
      [1, 2].map((seed) => {
        const temperature = temperatureOf(method, seed, of);
        return exampleRun({
          method,
          seed,
          combinationSize,
          accuracy: right,
          ownBaseAccuracy: baseRight,
          meanConfidence: claimed,
          labelledCount: count,
          ece: count === 0 ? null : ecePp / 100,
          temperature: temperature === 'none' ? null : temperature,
          temperatureKind: temperature === 'none' ? 'none' : temperature === null ? 'infinite' : 'finite',
        });
      }),
  );
  const cells = methods.map(
    ({
      method,
      ecePp,
      combinationSize = null,
      se = 1,
      calibratedPValue = 0.5,
      tiedWithBest = null,
      intervalPp,
    }): CellInference => {
      const [eceLowPp, eceHighPp] = intervalPp ?? [Math.max(0, ecePp - 3), ecePp + 3];
      const { dataset, target } = runs[0]!;
      const reference = { calibratedMeanPp: 3, calibratedHighPp: 5, calibratedPValue };
      const place = { dataset, target, method, combinationSize };
      return {
        ...place,
        eceLowPp,
        eceHighPp,
        eceTotalSePp: se,
        ...reference,
        intervals: null,
        tiedWithBest,
        bestPValue: null,
      };
    },
  );
  const results = { ...rest, runs, summary: summariseRuns(runs, cells).summary };
  const [verdict] = verdictsOf(results);
  return verdict!;
}

/** The geometric mean over both seeds is the given temperature. */
function temperatureOf(
  method: string,
  seed: number,
  { temperature = 4, temperatures }: Pick<Measured, 'temperature' | 'temperatures'>,
): number | null | 'none' {
  if (method === 'vanilla') return 'none';
  if (temperatures !== undefined) return temperatures[seed - 1] ?? null;
  return temperature === null ? null : seed === 1 ? temperature / 2 : 2 * temperature;
}

const VANILLA: Measured = { method: 'vanilla', ecePp: 30, calibratedPValue: 0.001, tiedWithBest: false };
const DACA: Measured = { method: 'daca', ecePp: 4, tiedWithBest: true, temperature: 6 };
const FULL_KL: Measured = { method: 'full-kl', ecePp: 3.5, tiedWithBest: true, temperature: 7 };
const LABELS: Measured = { method: 'oracle-ts', ecePp: 3, temperature: 5 };

describe('verdictsOf', () => {
  it('takes the one method that the test leaves, at the geometric mean of its temperatures', () => {
    const verdict = judged([VANILLA, DACA, { ...FULL_KL, ecePp: 9, tiedWithBest: false }, LABELS]);
    expect(verdict.kind).toBe('use');
    expect(verdict.use?.temperature).toBeCloseTo(6, 12);
    expect(verdict.sentence).toBe('use 6.00 (DACA): calibrated within what 560 questions can show');
    expect(verdict).toMatchObject({ chosenBy: 'rule', ruledOut: [], leftPp: 1, labelledCount: 560 });
    expect(verdict.before).toEqual({ ecePp: 30, lowPp: 27, highPp: 33 });
  });

  it('names all methods that cannot be told apart, the first of the fixed order first, not the lowest ECE', () => {
    const verdict = judged([VANILLA, FULL_KL, DACA, LABELS]);
    expect(verdict.kind).toBe('any-of');
    expect(verdict.use?.method).toBe('daca');
    expect(verdict.sentence).toBe(
      'any of these two: 6.00 (DACA), 7.00 (Full KL); all are calibrated within what 560 questions can show',
    );
  });

  it('says so where labels rule out what the fixed order takes', () => {
    const verdict = judged([VANILLA, { ...DACA, ecePp: 12, tiedWithBest: false }, FULL_KL, LABELS]);
    expect(verdict).toMatchObject({ kind: 'use', chosenBy: 'labels', ruledOut: ['DACA'], use: { method: 'full-kl' } });
    expect(verdict.sentence).toMatch(/; chosen with labels, which rule out DACA$/);
  });

  it('rules out an untested method only where the intervals of the ECE do not touch', () => {
    const matched = { method: 'accuracy-matched', ecePp: 12, temperature: 8 };
    const apart = judged([VANILLA, { ...matched, intervalPp: [7.1, 16] }, DACA, LABELS]);
    const touching = judged([VANILLA, { ...matched, intervalPp: [6.9, 16] }, DACA, LABELS]);
    expect([apart.use?.method, apart.chosenBy]).toEqual(['daca', 'labels']);
    expect([touching.use?.method, touching.chosenBy]).toEqual(['accuracy-matched', 'rule']);
  });

  it('keeps temperatures in the choice where a method of another kind is the best of the row', () => {
    const cape = { method: 'cape', ecePp: 1, tiedWithBest: true, temperature: null };
    const verdict = judged([VANILLA, { ...DACA, tiedWithBest: false }, { ...FULL_KL, tiedWithBest: false }, LABELS]);
    expect(verdict.alike.map(({ method }) => method)).toEqual(['daca', 'full-kl']);
    expect(judged([VANILLA, cape, DACA]).use?.method).toBe('daca');
  });

  it('tells what is left where a fit on labels does no better', () => {
    const verdict = judged([VANILLA, { ...DACA, ecePp: 7, calibratedPValue: 0.01 }, { ...LABELS, ecePp: 6.8 }]);
    expect(verdict.kind).toBe('improves');
    expect(verdict.sentence).toBe(
      'use 6.00 (DACA): better, but 7.0 pp left, 4.0 more than a calibrated model would show; ' +
        'a fit on 240 labels does no better',
    );
  });

  it('asks for labels where they do clearly better, with the reason and the number', () => {
    const diagnostics = { sampleSize: [sizeCurve('daca', 20, [17, 15.2, 15]), sizeCurve('oracle-ts', 20, [18, 5, 4])] };
    const methods = [VANILLA, { ...DACA, ecePp: 15, calibratedPValue: 0.001, claimed: 0.45 }, LABELS];
    const verdict = judged(methods, { diagnostics, baseRight: 0.47 });
    expect(verdict.kind).toBe('not-enough');
    expect(verdict.sizes).toEqual({ unlabelledEnough: 40, labelsAsGood: 40, labelsBetter: 40, tried: 80 });
    expect(verdict.sentence).toBe(
      'not enough: 15.0 pp left with 6.00 (DACA), 12.0 more than a calibrated model would show; the base knows less than the model (right in 47 % against 60 %), ' +
        'so the model now claims 45 % and is right in 60 %; label 40 questions',
    );
    expect(judged(methods).sentence).toMatch(/; label 240 questions$/);
  });

  it('leaves a model alone that shows no error, or that every temperature makes worse', () => {
    const fine = judged([{ ...VANILLA, ecePp: 3, calibratedPValue: 0.4, tiedWithBest: true }, DACA, LABELS]);
    expect(fine).toMatchObject({ kind: 'already-calibrated', use: null, after: null });
    const worse = judged([{ ...VANILLA, ecePp: 8 }, { ...DACA, ecePp: 10, calibratedPValue: 0.001 }, LABELS]);
    expect(worse).toMatchObject({ kind: 'not-enough', use: null, leftPp: 5 });
    expect(worse.sentence).toBe(
      'not enough: no temperature without labels is better than none, and 8.0 pp are left, ' +
        '5.0 more than a calibrated model would show; label 240 questions',
    );
  });

  it('checks nothing without labels, with few of them or without intervals, and says which', () => {
    const none = judged([VANILLA, FULL_KL, DACA], { labelledCount: 0 });
    expect([none.kind, none.use?.method, none.chosenBy]).toEqual(['unknown', 'daca', 'rule']);
    expect(none.sentence).toBe(
      'use 6.00 (DACA): chosen without labels; nothing here can check it, which takes labels: ' +
        '100 on the evaluation side (about 143 in all)',
    );
    const few = (labelledCount: number) => judged([VANILLA, DACA], { labelledCount }).sentence;
    expect(few(40)).toBe(
      'use 6.00 (DACA): chosen without labels; 40 labelled questions are too few to check it, which takes ' +
        '100 on the evaluation side (about 143 in all)',
    );
    expect(few(1)).toContain('; 1 labelled question is too few to check it');
    const bare = judged([VANILLA, { ...DACA, calibratedPValue: null }]);
    expect(bare.sentence).toBe(
      'use 6.00 (DACA): chosen without labels (ECE 30.0 to 4.0 pp); no intervals were made that could check it',
    );
  });

  it('asks for labels where their fit is lower by more than 2 pp and by more than two standard errors', () => {
    const kindAt = (
      ecePp: number,
      fitPp: number,
      se: number | null,
      intervalPp: readonly [number, number] = [0, 20],
    ) => {
      const daca = { ...DACA, ecePp, se, intervalPp, calibratedPValue: 0.001 };
      return judged([VANILLA, daca, { ...LABELS, ecePp: fitPp }]).kind;
    };
    expect([kindAt(9, 6.9, 1), kindAt(9, 7.1, 0.5)]).toEqual(['not-enough', 'improves']);
    expect([kindAt(9, 4.9, 2), kindAt(9, 5.1, 2)]).toEqual(['not-enough', 'improves']);
    // Without a total standard error it is a quarter of the interval: 2 here.
    expect([kindAt(9, 4.9, null, [5, 13]), kindAt(9, 5.1, null, [5, 13])]).toEqual(['not-enough', 'improves']);
  });

  it('calls an error none where a calibrated model shows as much in 5 of 100 cases', () => {
    const of = (calibratedPValue: number) => judged([VANILLA, { ...DACA, calibratedPValue }, LABELS]).kind;
    expect([of(0.05), of(0.049)]).toEqual(['use', 'improves']);
    const fine = { ...VANILLA, ecePp: 5, calibratedPValue: 0.4 };
    expect(judged([{ ...fine, tiedWithBest: null }, DACA, LABELS]).kind).toBe('already-calibrated');
    // The test of the run says that a method is better than the model as it is.
    expect(judged([{ ...fine, tiedWithBest: false }, DACA, LABELS]).kind).toBe('use');
    const bad = { ...FULL_KL, calibratedPValue: 0.01 };
    const relative = { ...DACA, method: 'relative-only' };
    const verdict = judged([VANILLA, DACA, bad, relative, LABELS]);
    expect([verdict.kind, verdict.alike.map(({ method }) => method)]).toEqual(['any-of', ['daca', 'relative-only']]);
    expect(judged([VANILLA, { ...DACA, ecePp: 2 }, LABELS]).leftPp).toBe(0);
  });

  it('lets fewer than 100 labels choose nothing', () => {
    const methods = [VANILLA, { ...DACA, ecePp: 12, tiedWithBest: false }, FULL_KL, LABELS];
    const chosen = [99, 100].map((labelledCount) => judged(methods, { labelledCount }));
    expect(chosen.map(({ use, chosenBy, kind }) => [use?.method, chosenBy, kind])).toEqual([
      ['daca', 'rule', 'unknown'],
      ['full-kl', 'labels', 'use'],
    ]);
  });

  it('counts the questions of the plain scores, not the few answers of another way of asking', () => {
    const written = { method: 'elicitation', ecePp: 20, temperature: null };
    expect(judged([VANILLA, DACA, { ...written, count: 0 }, LABELS])).toMatchObject({
      kind: 'use',
      labelledCount: 560,
    });
    expect(judged([VANILLA, DACA, { ...written, count: 30 }, LABELS])).toMatchObject({
      kind: 'use',
      labelledCount: 560,
    });
  });

  it('takes auto first, and of a method with references the smallest number of them', () => {
    const of = (method: string, temperature: number, combinationSize: number | null = null): Measured => ({
      ...DACA,
      method,
      temperature,
      combinationSize,
    });
    const rest = [of('supportcal', 3, 3), of('supportcal', 2, 2), of('full-kl', 7), of('mine', 8)];
    const verdict = judged([VANILLA, ...rest, of('accuracy-matched', 5), of('auto', 6)]);
    expect(verdict.alike.map(({ method, combinationSize }) => [method, combinationSize])).toEqual([
      ['auto', null],
      ['accuracy-matched', null],
      ['supportcal', 2],
      ['full-kl', null],
      ['mine', null],
    ]);
    expect(verdict.alike[2]?.temperature).toBeCloseTo(2, 12);
  });

  it('has a finite temperature where more than half of the splits do, and none where a split has no fit', () => {
    const of = (...temperatures: (number | null | 'none')[]) => judged([VANILLA, { ...DACA, temperatures }]).use;
    expect(of(2, null)).toMatchObject({ temperatureKind: 'infinite', temperature: null });
    expect(of(2, 8)?.temperature).toBeCloseTo(4, 12);
    expect(of(2, 'none')).toBe(null);
  });

  it('says how many questions are enough from the size on from which none does worse', () => {
    const diagnostics = {
      sampleSize: [sizeCurve('daca', 10, [5, 9, 5.4, 5]), sizeCurve('oracle-ts', 10, [4, 7, 5.4, 4.6])],
    };
    const { sizes } = judged([VANILLA, DACA, LABELS], { diagnostics });
    expect(sizes).toEqual({ unlabelledEnough: 40, labelsAsGood: 40, labelsBetter: null, tried: 80 });
  });

  it('gives no verdict on numbers that mean little, unless they are of another way of asking', () => {
    const found = { dataset: 'demo-facts', model: 'llama-demo-chat', what: 'answers A in 790 of 800 rows' };
    expect(judged([VANILLA, DACA, LABELS], { health: [found] })).toMatchObject({
      kind: 'unknown',
      sentence: 'no verdict, since its numbers mean little: answers A in 790 of 800 rows',
    });
    expect(judged([VANILLA, DACA, LABELS], { health: [{ ...found, way: 'elicitation' }] }).kind).toBe('use');
  });

  it('has an infinite temperature where most splits do, and none without a method', () => {
    const infinite = judged([VANILLA, { ...DACA, temperature: null }]);
    expect(infinite.use).toMatchObject({ temperature: null, temperatureKind: 'infinite' });
    expect(infinite.sentence).toMatch(/^use equal confidence for all options \(DACA\)/);
    expect(judged([VANILLA]).kind).toBe('none');
  });
});

/** Errors in percentage points with so many examples, twice as many, and so on. */
function sizeCurve(method: string, examples: number, eces: readonly number[]) {
  return {
    dataset: 'demo-facts',
    target: 'llama-demo-chat',
    method,
    combinationSize: null,
    points: eces.map((ece, i) => ({
      x: 0.1 * i,
      eceMean: ece / 100,
      eceSe: null,
      temperatureMean: 4,
      infinite: 0,
      none: 0,
      fits: 2,
      calibrationCount: examples * 2 ** i,
    })),
  };
}
