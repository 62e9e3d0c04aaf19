import { expect, it } from 'vitest';
import { evaluate } from '../../src/metrics/evaluate.js';
import { evaluateConfidences } from '../../src/metrics/evaluate-confidences.js';
import { METRICS } from '../../src/metrics/metrics.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { PAGE_METRICS } from '../../src/report/html/tables/page-metrics.js';
import { metricFields } from '../../src/results/run-fields.js';
import { runSchema } from '../../src/results/run-schema.js';

const indexes = Int32Array.of(0, 1, 2, 3);
const labels = Int32Array.of(0, 1, 1, 0);
const logits = raggedRows([
  [2, 0],
  [1, 0],
  [0, 3],
  [0.5, 0],
]);
const accuracies = { accuracy: 0.75, ownBaseAccuracy: 0.5 };

it('gives the run its fields, in the order of results.json', () => {
  const keys = Object.keys(runSchema.shape);
  const fields = METRICS.map(({ field }) => field);
  expect(keys.slice(-fields.length)).toEqual(fields);
  expect(new Set(keys).size).toBe(keys.length);
  expect(Object.keys(metricFields({ evaluation: null, ...accuracies }))).toEqual(fields);
});

it('reads every metric from an evaluation of whole distributions', () => {
  const found = metricFields({ evaluation: evaluate({ logits, indexes, labels }, 1), ...accuracies });
  expect(Object.entries(found).filter(([, value]) => !Number.isFinite(value))).toEqual([]);
  const parts = found.brierReliability! - found.brierResolution! + found.brierUncertainty!;
  expect(parts + found.brierWithinBinVariance! - found.brierWithinBinCovariance!).toBeCloseTo(found.brier!, 12);
});

it('has null for what confidences alone do not tell, and for all but the accuracies without an evaluation', () => {
  const given = { predictions: Int32Array.of(0, 0, 1, 0), confidences: Float64Array.of(0.9, 0.7, 0.95, 0.6) };
  const evaluation = evaluateConfidences(given, indexes, labels);
  const found = Object.entries(metricFields({ evaluation, ...accuracies }));
  const whole = /^(classwiseEce|brier.*|nll)$/;
  expect(found.map(([field, value]) => [field, value === null])).toEqual(
    found.map(([field]) => [field, whole.test(field)]),
  );
  const none = Object.entries(metricFields({ evaluation: null, ...accuracies })).filter(([, value]) => value !== null);
  expect(Object.fromEntries(none)).toEqual(accuracies);
});

it('reads a run of an earlier minor version, which lacks what was added since', () => {
  const added = METRICS.flatMap((metric) => (metric.added ? [metric.field] : []));
  expect(added).toContain('excessAurc');
  for (const { field, added: isAdded } of METRICS)
    expect([field, runSchema.shape[field].safeParse(undefined).success]).toEqual([field, isAdded === true]);
});

it('puts what the page offers on places of their own', () => {
  const places = METRICS.flatMap(({ page }) => page ?? []);
  expect(new Set(places).size).toBe(places.length);
  expect(PAGE_METRICS.map(({ field }) => field)).not.toContain('ece');
  expect(PAGE_METRICS.length).toBe(places.length + 1);
});
