import { expect, test } from 'vitest';
import { calibrateTarget } from '../../src/calibration/calibrate-target.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { outcomeFields } from '../../src/results/run-fields.js';

/** Ten rows z, with softmax of the base logits p; pitfalls 41 and 42. */
function fieldsOf(method: string, z: readonly number[], p: readonly number[]) {
  const rows = (row: readonly number[]) => raggedRows(Array.from({ length: 10 }, () => [...row]));
  const target = calibrateTarget({
    targetLogits: rows(z),
    ownBaseLogits: rows(p.map(Math.log)),
    references: [],
    methods: [method],
    combinationSizes: [],
  });
  const fitted = target.fit(Int32Array.from({ length: 10 }, (_, n) => n)).outcomes[0]!;
  return outcomeFields(method, fitted);
}

test.each([1e-3, 1, 1e3])('a fit says that it converged, with its last gradient (logits times %s)', (scale) => {
  const { temperature, temperatureKind, converged, fitResidual, fitIterations } = fieldsOf(
    'daca',
    [2 * scale, 0],
    [0.8, 0.2],
  );
  expect([temperatureKind, converged]).toEqual(['finite', true]);
  expect(temperature! / scale).toBeCloseTo(2 / Math.log(4), 12);
  expect(fitResidual).toBeLessThanOrEqual(1e-12);
  expect(fitIterations).toBeGreaterThan(0);
});

test('a temperature that runs away is `infinite`, without a number, decided by its margin alone', () => {
  expect(fieldsOf('full-kl', [2, 0], [0.3, 0.7])).toMatchObject({
    temperature: null,
    temperatureKind: 'infinite',
    converged: true,
    fitIterations: 0,
    weightedBoundaryMargin: expect.closeTo(-0.4, 12),
  });
});

test.each([
  ['constant logits', 'full-kl', [1, 1], 'constant-logits'],
  ['an empty agreement set', 'daca', [2, 0], 'no-examples'],
])('%s have no fit: the reason says so, and nothing converged', (_, method, z, temperatureReason) => {
  expect(fieldsOf(method, z, [0.3, 0.7])).toMatchObject({
    temperature: null,
    temperatureKind: 'none',
    temperatureReason,
    converged: null,
    fitResidual: null,
    fitIterations: null,
  });
});

test('vanilla fits nothing', () => {
  expect(fieldsOf('vanilla', [2, 0], [0.8, 0.2])).toMatchObject({ converged: null, fitResidual: null });
});
