import { expect, test } from 'vitest';
import { calibrateTarget } from '../../../src/calibration/calibrate-target.js';
import { splitExamples } from '../../../src/calibration/split-examples.js';
import type { SuitePlan } from '../../../src/config/plan-suite.js';
import { DEFAULT_BINNING } from '../../../src/metrics/bins/binning.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { DatasetDiagnostics } from '../../../src/pipeline/diagnostics/dataset-diagnostics.js';

const rows = (scale: number) =>
  raggedRows(Array.from({ length: 40 }, (_, n) => [0, 1, 2].map((k) => scale * Math.sin(n * 7 + k * k * scale))));
const [targetLogits, ownBaseLogits, other, another] = [rows(3), rows(1), rows(2), rows(1.5)];
const references = [
  { id: 'a', logits: other! },
  { id: 'b', logits: another! },
];

/** Diagnostics of one target with 40 examples; `examples` is how many the data set is said to have. */
function curves(examples: number, diagnostics: 'basic' | 'full', seedCount = 3) {
  const seeds = Array.from({ length: seedCount }, (_, n) => n + 1);
  const target = { targetLogits: targetLogits!, ownBaseLogits: ownBaseLogits!, references };
  const labels = Int32Array.from({ length: 40 }, (_, n) => n % 3);
  const plan = { diagnostics, seeds, binning: DEFAULT_BINNING, listCombinations: false, targetsOf: () => [{}] };
  const collected = new DatasetDiagnostics(plan as unknown as SuitePlan, 'quiz', examples);
  const ids = Array.from({ length: 40 }, (_, n) => `q${n}`);
  const splitAt = (seed: number, calibrationFraction: number) =>
    splitExamples({ ids, contentHashes: null, seed, calibrationFraction });
  collected.add({
    id: 't',
    ownBase: 'o',
    combinationSizes: [1],
    splitAt,
    aligned: { ...target, labels, rowOfExample: Int32Array.from(ids.keys()), warnings: [] },
    calibration: calibrateTarget({ ...target, labels, methods: ['daca', 'supportcal'], combinationSizes: [1] }),
    splits: seeds.map((seed) => ({ seed, ...splitAt(seed, 0.3) })),
  });
  const { reintroduction, sensitivity, sampleSize, weightByMargin } = collected.lists();
  return { reintroduction, sensitivity, sampleSize, weightByMargin };
}

const fitsOf = (given: ReturnType<typeof curves>) =>
  [given.reintroduction, given.sensitivity, given.sampleSize].map(
    (all) => all && [...new Set(all.flatMap(({ points }) => points.map(({ fits }) => fits)))],
  );

test('curves are of all seeds up to 30,000 targets x examples x seeds, then of the first seed up to 10,000 targets x examples', () => {
  expect(fitsOf(curves(3333, 'basic'))).toEqual([[3], [3], [3]]);
  expect(fitsOf(curves(10_000, 'basic'))).toEqual([[3], [3], [3]]);
  expect(fitsOf(curves(10_000, 'basic', 4))).toEqual([[1], [1], [1]]);
  expect(curves(10_001, 'basic')).toEqual({});
});

test('full has them for any size', () => {
  expect(fitsOf(curves(10_001, 'full'))).toEqual([[3], [3], [3]]);
  expect(curves(10_001, 'full')).toEqual(curves(3333, 'full'));
});
