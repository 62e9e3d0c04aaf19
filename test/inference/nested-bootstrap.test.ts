import { describe, expect, test } from 'vitest';
import { moments } from '../../bench/inference/paired-trials.js';
import { boundedGaps, withoutCertain } from '../../src/calibration/certain-rows.js';
import { fitTemperature } from '../../src/calibration/fit/fit-temperature.js';
import { matchConfidence } from '../../src/calibration/fit/match-confidence.js';
import { alignWithModel, logitGaps, takeAlignment } from '../../src/calibration/fit/teacher-alignment.js';
import { binGaps, binnedError } from '../../src/inference/interval/bin-gaps.js';
import { smoothedGaps } from '../../src/inference/interval/gap-families.js';
import { normalDraws, uniformDraw } from '../../src/inference/law/normal-draws.js';
import { matchedRefitter } from '../../src/inference/matched-refitter.js';
import { nestedBootstrap, type ResampledMethod } from '../../src/inference/nested-bootstrap.js';
import { confidenceAt, refitter } from '../../src/inference/refitter.js';
import { type ResampleDesign, type ResampledSplit, resampledSplits } from '../../src/inference/resampled-splits.js';
import { shiftedAnswers, splitMeasurer } from '../../src/inference/shifted-answers.js';
import { DEFAULT_BINNING } from '../../src/metrics/bins/binning.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { raggedRows, rowOf, takeRows } from '../../src/numeric/ragged-rows.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { softmax } from '../../src/numeric/softmax.js';

const COUNT = 240;

/** Logits of 2 to 4 options, a flatter teacher, and answers. */
function target(flatness = 0.4) {
  const generator = seededGenerator(11);
  const rows = Array.from({ length: COUNT }, (_, n) => normalDraws(generator, 2 + (n % 3)).map((z) => 3 * z));
  const teacher = rows.map((row) => row.map((z) => flatness * z + 0.5 * (normalDraws(generator, 1)[0] ?? 0)));
  const gaps = logitGaps(raggedRows(rows));
  const correct = Int8Array.from(rows, (row) => Number(uniformDraw(generator) < Math.max(...softmax(row, 0.3))));
  return { alignment: alignWithModel(gaps, raggedRows(teacher)), correct };
}

const own = Int32Array.from({ length: COUNT }, (_, n) => n);
const design: ResampleDesign = {
  clusters: own,
  clusterCount: COUNT,
  calibrationFraction: 0.3,
  splits: 2,
  resamples: 40,
  seed: 3,
};
const ones = new Float64Array(COUNT).fill(1);

function fittedMethod({ alignment, correct } = target()): ResampledMethod {
  return { kind: 'fitted', alignment, weigh: () => ones, correct };
}

describe('resampled splits', () => {
  test('have as many draws as examples, 30 % of them on the calibration side, and no example on both', () => {
    resampledSplits(design, ({ calibration, evaluation, counts }) => {
      const drawn = (rows: Int32Array) => rows.reduce((sum, n) => sum + (counts[n] ?? 0), 0);
      expect(drawn(calibration) + drawn(evaluation)).toBe(COUNT);
      expect(drawn(calibration)).toBeGreaterThanOrEqual(0.3 * COUNT);
      expect(drawn(calibration)).toBeLessThan(0.3 * COUNT + 8);
      expect(new Set([...calibration, ...evaluation]).size).toBe(calibration.length + evaluation.length);
    });
  });

  test('draw copies of a text together and keep them on one side', () => {
    const clusters = own.map((n) => n >> 1);
    resampledSplits({ ...design, clusters, clusterCount: COUNT / 2 }, ({ calibration, evaluation, counts }) => {
      for (const side of [calibration, evaluation]) {
        const members = new Set(side);
        for (const n of side) expect(members.has(n ^ 1) && counts[n] === counts[n ^ 1]).toBe(true);
      }
    });
  });
});

describe('refits', () => {
  test('end where the general fit of the repeated examples ends', () => {
    const { alignment } = target();
    const refit = refitter(alignment, 0.3);
    let worst = 0;
    eachSplit((split) => {
      const repeated = [...split.calibration].flatMap((n) => Array<number>(split.counts[n] ?? 0).fill(n));
      const exact = fitTemperature(
        takeAlignment(alignment, Int32Array.from(repeated)),
        new Float64Array(repeated.length).fill(1),
      );
      const found = refit(ones, split);
      if (exact.kind !== 'finite' || found === null) throw new Error('no fit');
      expect(found.general).toBe(0);
      for (const n of split.evaluation) {
        const confidence = Math.max(...softmax(rowOf(alignment.gaps, n), exact.inverseTemperature));
        worst = Math.max(worst, Math.abs(confidence - confidenceAt(found, n)));
      }
    });
    expect(worst).toBeLessThan(5e-4);
  });

  test('put the temperature on another distribution where one is given', () => {
    const { alignment } = target();
    const { offsets, rowCount, values } = alignment.gaps;
    const halves = { offsets, rowCount, values: values.map((gap) => gap / 2) };
    const outcome = fitTemperature(alignment, ones);
    const found = refitter(
      alignment,
      0.3,
      halves,
    )(ones, {
      calibration: own,
      evaluation: own,
      counts: ones,
    });
    if (outcome.kind !== 'finite' || found === null) throw new Error('no fit');
    const expected = Math.max(...softmax(rowOf(halves, 7), outcome.inverseTemperature));
    expect(Math.abs(confidenceAt(found, 7) - expected)).toBeLessThan(1e-4);
  });

  test('take the general path where the temperature of all examples is infinite', () => {
    const { alignment, correct } = target(-0.4);
    const [found] = nestedBootstrap([fittedMethod({ alignment, correct })], design);
    expect(found?.generalFits).toBe(design.resamples * design.splits);
    expect(found?.eces.every((ece) => ece >= 0 && ece <= 1)).toBe(true);
  });
});

describe('the nested bootstrap', () => {
  test('is the mean over splits of the ECE of the other side, with how often an example was drawn', () => {
    const { correct } = target();
    const asked = correct.map((right, n) => (n % 7 === 0 ? -1 : right));
    const confidences = ones.map((_, n) => 0.2513 + 0.7 * (((n * 37) % 100) / 100));
    const [found] = nestedBootstrap([{ kind: 'fixed', confidences, correct: asked }], design);
    const { answers, signs, level } = shiftedAnswers(confidences, asked);
    const sums = Array.from({ length: design.resamples }, () => [0, 0, 0]);
    resampledSplits(design, ({ evaluation, counts }, r) => {
      const used = [...evaluation].filter((n) => asked[n] !== -1);
      const total = used.reduce((sum, n) => sum + counts[n]!, 0);
      const mean = (rows: number[], of: (n: number) => number) =>
        rows.reduce((sum, n) => sum + counts[n]! * of(n), 0) / total;
      const bins = Array.from({ length: 10 }, (_, b) => used.filter((n) => Math.floor(10 * confidences[n]!) === b));
      const ece = bins.reduce((sum, rows) => sum + Math.abs(mean(rows, (n) => confidences[n]! - answers[n]!)), 0);
      const gap = (n: number) => confidences[n]! - asked[n]!;
      for (const [i, value] of [ece, mean(used, (n) => signs[n]! * gap(n)), mean(used, gap)].entries())
        sums[r]![i]! += value / design.splits;
    });
    for (const [i, values] of [found!.eces, found!.signedMeans, found!.overconfidences].entries())
      expect([...values]).toEqual(sums.map((each) => expect.closeTo(each[i]!, 12)));
    expect([found!.level, found!.generalFits]).toEqual([level, 0]);
    // In each bin the shifted answers have the likely gap in place of the measured one, whose sign they have.
    const bins = binGaps([reliabilityBins(...measuredOf(confidences, asked))]);
    const likely = smoothedGaps(bins);
    expect(level).toBeCloseTo(binnedError(bins, likely, 1), 12);
    for (const [b, gap] of likely.entries()) {
      const rows = [...own].filter((n) => asked[n] !== -1 && Math.floor(10 * confidences[n]!) === b + 2);
      expect(rows.reduce((sum, n) => sum + confidences[n]! - answers[n]!, 0) / rows.length).toBeCloseTo(gap, 12);
      expect(rows.every((n) => signs[n] === Math.sign(gap))).toBe(true);
    }
  });

  test('measures refitted confidences, cubics and all', () => {
    const { correct } = target();
    const cubics = Float64Array.from({ length: 4 * COUNT }, (_, i) => [0.5, 0.2, -0.13, 0.09][i % 4]! + (i % 7) / 50);
    const world = shiftedAnswers(
      ones.map((_, n) => cubics[4 * n]!),
      correct,
    );
    const x = -0.7;
    const measured = splitMeasurer(world, correct)(
      { calibration: own, evaluation: own, counts: ones },
      { cubics, x, general: 0 },
    );
    const confidence = (n: number) => [0, 1, 2, 3].reduce((sum, power) => sum + cubics[4 * n + power]! * x ** power, 0);
    const mean = (of: (n: number) => number) => own.reduce((sum, n) => sum + of(n), 0) / COUNT;
    expect(measured[2]).toBeCloseTo(
      mean((n) => confidence(n) - correct[n]!),
      12,
    );
    expect(measured[1]).toBeCloseTo(
      mean((n) => world.signs[n]! * (confidence(n) - correct[n]!)),
      12,
    );
  });

  test('leaves out splits in which nothing is measured', () => {
    // One example has a label: it is drawn into the evaluation side of some splits alone.
    const correct = Int8Array.from(own, (n) => (n === 5 ? 1 : -1));
    const [found] = nestedBootstrap([{ kind: 'fixed', confidences: ones.map(() => 0.6), correct }], design);
    const known = found!.overconfidences.filter((value) => !Number.isNaN(value));
    expect(known.length).toBeGreaterThan(5);
    expect(known.length).toBeLessThan(design.resamples);
    for (const value of known) expect(value).toBeCloseTo(-0.4, 12);
  });

  test('has no value for a method without a fit', () => {
    const none = new Float64Array(COUNT);
    const [found] = nestedBootstrap([{ ...fittedMethod(), weigh: () => none } as ResampledMethod], design);
    expect(found?.eces.every(Number.isNaN)).toBe(true);
    expect(found?.generalFits).toBe(design.resamples * design.splits);
  });

  test('gives the same bits for the same seed, whatever other methods stand beside', () => {
    const [alone] = nestedBootstrap([fittedMethod()], design);
    const fixed: ResampledMethod = { kind: 'fixed', confidences: ones.map(() => 0.7), correct: target().correct };
    const [, beside] = nestedBootstrap([fixed, fittedMethod()], design);
    expect(beside).toEqual(alone);
  });

  test('measures one constant confidence as its distance to the resampled accuracy', () => {
    const { correct } = target();
    const [found] = nestedBootstrap([{ kind: 'fixed', confidences: ones.map(() => 0.9), correct }], design);
    const accuracy = correct.reduce((sum, right) => sum + right, 0) / COUNT;
    expect(found?.overconfidence).toBeCloseTo(0.9 - accuracy, 12);
    expect(found?.signed).toBeCloseTo(Math.abs(0.9 - accuracy), 12);
    expect(found?.signedMeans).toEqual(found?.overconfidences);
  });

  test.each([
    // Two groups of opposite gaps: apart, each is an error of 0.3; together they cancel.
    [{ edgeRule: 'left-owned' }, [0.45, 0.5], 'apart'],
    [{ edgeRule: 'right-owned' }, [0.45, 0.5], 'together'],
    [{ binEdges: 'equal-mass', bins: 2 }, [0.45, 0.46], 'apart'],
    [{ binEdges: 'equal-mass', bins: 1 }, [0.45, 0.5], 'together'],
    [{ binEdges: 'equal-mass', bins: 10 }, [0.45, 0.45], 'together'],
  ] as const)('puts examples into the bins of the run: %j of confidences %j %s', (binning, [low, high], how) => {
    const confidences = ones.map((_, n) => (n % 2 === 0 ? low : high));
    const correct = Int8Array.from(ones, (_, n) => Number(n % 2 === 0 ? n % 40 < 30 : n % 40 >= 34));
    const [found] = nestedBootstrap([{ kind: 'fixed', confidences, correct }], design, {
      ...DEFAULT_BINNING,
      ...binning,
    });
    const mean = moments(found?.eces ?? []).mean;
    if (how === 'apart') expect(mean).toBeGreaterThan(0.25);
    else expect(mean).toBeLessThan(0.1);
  });

  test('leaves out examples that are not measured', () => {
    const { correct } = target();
    const confidences = ones.map((_, n) => (n < 40 ? 0.01 : 0.8));
    const [found] = nestedBootstrap(
      [{ kind: 'fixed', confidences, correct: correct.map((right, n) => (n < 40 ? -1 : right)) }],
      design,
    );
    expect(found?.signs.subarray(0, 40).every((sign) => sign === 0)).toBe(true);
    expect(Math.min(...(found?.overconfidences ?? []))).toBeGreaterThan(0);
  });

  test('has a spread near that of the mean accuracy where ECE is the distance of one confidence to it', () => {
    const { correct } = target();
    const many = { ...design, splits: 1, calibrationFraction: 0, resamples: 2000 };
    const [found] = nestedBootstrap([{ kind: 'fixed', confidences: ones.map(() => 0.99), correct }], many);
    const accuracy = correct.reduce((sum, right) => sum + right, 0) / COUNT;
    const expected = Math.sqrt((accuracy * (1 - accuracy)) / COUNT);
    expect(moments(found?.eces ?? []).deviation / expected).toBeCloseTo(1, 1);
  });
});

function measuredOf(confidences: Float64Array, correct: Int8Array): [Float64Array, Int8Array] {
  return [confidences.filter((_, n) => correct[n] !== -1), correct.filter((right) => right !== -1)];
}

test('matched refits take nothing from rows that no fit takes', () => {
  const { alignment } = target();
  const certain = Uint8Array.from(own, (n) => Number(n % 7 === 0));
  const gaps = boundedGaps({
    ...alignment.gaps,
    values: alignment.gaps.values.map((gap, i) => (gap < 0 && i % 7 === 0 ? Number.NEGATIVE_INFINITY : gap)),
  });
  const at = (wild: number) =>
    matchedRefitter(
      gaps,
      ones.map((_, n) => (certain[n] === 1 ? wild : 0.6)),
      0.3,
      certain,
    );
  const [calm, wild] = [at(0.6), at(1)];
  let seen = 0;
  eachSplit((split) => {
    seen++;
    expect(wild(split)?.x).toBe(calm(split)?.x);
    expect(Number.isFinite(confidenceAt(calm(split)!, 0))).toBe(true);
  });
  expect(seen).toBeGreaterThan(0);
  expect(withoutCertain(gaps, certain).values.subarray(0, gaps.offsets[1])).toEqual(new Float64Array(gaps.offsets[1]!));
});

function eachSplit(visit: (split: ResampledSplit) => void): void {
  resampledSplits({ ...design, resamples: 15 }, visit);
}

describe('refits that match a mean confidence', () => {
  const { alignment, correct } = target();
  const { gaps } = alignment;
  const repeated = ({ calibration, counts }: ResampledSplit) =>
    Int32Array.from([...calibration].flatMap((n) => new Array<number>(counts[n] ?? 0).fill(n)));

  test.each([
    ['an accuracy within reach', 0],
    ['one that some splits take out of reach of the cubics', -0.42],
  ])('are those of matchConfidence on the drawn rows, for %s', (_name, shift) => {
    const accuracies = Float64Array.from(correct, (right) => 0.5 + 0.3 * right + shift);
    const refit = matchedRefitter(gaps, accuracies, 0.3);
    let general = 0;
    resampledSplits({ ...design, resamples: 10 }, (split) => {
      const rows = repeated(split);
      const accuracy = rows.reduce((sum, n) => sum + accuracies[n]!, 0) / rows.length;
      const exact = matchConfidence(takeRows(gaps, rows), 1 - accuracy);
      const beta = exact.kind === 'finite' ? exact.inverseTemperature : 0;
      const found = refit(split)!;
      general += found.general;
      for (const n of [0, 7, 100]) {
        const confidence = 1 / rowOf(gaps, n).reduce((sum, d) => sum + Math.exp(beta * d), 0);
        expect(Math.abs(confidenceAt(found, n) - confidence)).toBeLessThan(2e-3);
      }
    });
    if (shift === 0) expect(general).toBe(0);
    else expect(general).toBeGreaterThan(0);
  });

  test('go the general path where few rows scatter farther than the cubics reach, and end there exactly', () => {
    const few = takeRows(
      gaps,
      Int32Array.from({ length: 12 }, (_, n) => n),
    );
    const accuracies = Float64Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? 0.99 : 0.55));
    const refit = matchedRefitter(few, accuracies, 0.3);
    const kinds = new Set<string>();
    resampledSplits({ ...design, clusters: own.slice(0, 12), clusterCount: 12, resamples: 60 }, (split) => {
      const rows = repeated(split);
      const accuracy = rows.reduce((sum, n) => sum + accuracies[n]!, 0) / rows.length;
      const exact = matchConfidence(takeRows(few, rows), 1 - accuracy);
      const found = refit(split);
      if (found === null) expect(exact.kind).toBe('none');
      if (found === null || found.general === 0 || exact.kind === 'none') return;
      kinds.add(exact.kind);
      const beta = exact.kind === 'finite' ? exact.inverseTemperature : 0;
      const confidence = 1 / rowOf(few, 5).reduce((sum, d) => sum + Math.exp(beta * d), 0);
      expect(confidenceAt(found, 5)).toBeCloseTo(confidence, 12);
    });
    expect(kinds).toContain('finite');
  });

  test('have a total standard error like that of a fit by weights', () => {
    const accuracies = Float64Array.from(correct, (right) => 0.5 + 0.3 * right);
    const [fitted, matched] = nestedBootstrap([fittedMethod(), { kind: 'matched', gaps, accuracies, correct }], design);
    const [a, b] = [fitted!, matched!].map(({ eces }) => moments([...eces]).deviation);
    expect(b! / a!).toBeGreaterThan(0.5);
    expect(b! / a!).toBeLessThan(2);
  });
});
