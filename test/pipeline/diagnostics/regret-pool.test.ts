import { expect, test } from 'vitest';
import { DEFAULT_BINNING } from '../../../src/metrics/bins/binning.js';
import { evaluate } from '../../../src/metrics/evaluate.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { RegretPool } from '../../../src/pipeline/diagnostics/regret-pool.js';
import { riskRows } from '../../../src/pipeline/diagnostics/risk-rows.js';
import { exampleRun } from '../../report/example-results.js';

// 60 rows of three options; the label is often the top one, and the logits are three times too sharp.
const logits = Array.from({ length: 60 }, (_, n) => [0, 1, 2].map((k) => 3 * Math.sin(7 * n + 5 * k * k)));
const targetLogits = raggedRows(logits);
const labels = Int32Array.from(logits, (row, n) => (n % 5 < 3 ? row.indexOf(Math.max(...row)) : n % 3));
const evaluation = Int32Array.from({ length: 40 }, (_, i) => i + 20);
const split = { seed: 1, calibration: Int32Array.from({ length: 20 }, (_, n) => n), evaluation };

/** Written out: softmax of the row over tau. */
function probabilities(n: number, tau: number): number[] {
  const masses = logits[n]!.map((z) => Math.exp(z / tau));
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  return masses.map((mass) => mass / total);
}
const nllAt = (tau: number) =>
  [...evaluation].reduce((sum, n) => sum - Math.log(probabilities(n, tau)[labels[n]!]!), 0) / evaluation.length;
function eceAt(tau: number): number {
  const gaps = new Array<number>(10).fill(0);
  for (const n of evaluation) {
    const p = probabilities(n, tau);
    const top = Math.max(...p);
    gaps[Math.min(9, Math.floor(top * 10))]! += top - (p.indexOf(top) === labels[n] ? 1 : 0);
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / evaluation.length;
}

const runAt = (method: string, temperature: number) => {
  const measured = evaluate({ logits: targetLogits, indexes: evaluation, labels }, 1 / temperature);
  return exampleRun({ target: 't', method, temperature, ece: measured!.ece, nll: measured!.nll });
};

test('regret is what a search over a fine grid of temperatures finds, and ratios are to its best ones', () => {
  const pool = new RegretPool(DEFAULT_BINNING);
  pool.add({ targetLogits, labels }, [split], [runAt('vanilla', 1), runAt('daca', 2)]);
  const taus = Array.from({ length: 4000 }, (_, i) => Math.exp(-1.3 + (i * 4.2) / 4000));
  const least = (of: (tau: number) => number) => taus.reduce((best, tau) => (of(tau) < of(best) ? tau : best));
  const [ece, nll] = [least(eceAt), least(nllAt)];
  const [vanilla, daca, ...means] = pool.entries();
  expect(means).toEqual([
    { ...vanilla, target: null },
    { ...daca, target: null },
  ]);
  expect(vanilla).toMatchObject({ target: 't', method: 'vanilla', fits: 1, infinite: 0 });
  expect(daca!.nllRegret!).toBeCloseTo(nllAt(2) - nllAt(nll), 5);
  expect(daca!.nllTemperatureRatio!).toBeCloseTo(2 / nll, 2);
  expect(vanilla!.nllTemperatureRatio!).toBeCloseTo(1 / nll, 2);
  // ECE has many valleys: the search may be a little above the least one of the grid, never below it.
  expect(daca!.eceRegretPp).toBeLessThanOrEqual(100 * (eceAt(2) - eceAt(ece)) + 0.05);
  expect(daca!.eceRegretPp).toBeGreaterThanOrEqual(100 * (eceAt(2) - eceAt(ece)) - 0.7);
  expect(100 * (eceAt(1) - eceAt(2))).toBeCloseTo(vanilla!.eceRegretPp - daca!.eceRegretPp, 8);
});

test('what has no temperature on the plain logits, no ECE or another seed is not compared', () => {
  const pool = new RegretPool(DEFAULT_BINNING);
  const none = { temperature: null, temperatureKind: 'none' as const };
  pool.add(
    { targetLogits, labels },
    [split],
    [
      exampleRun({ method: 'cape', ...none }),
      exampleRun({ method: 'daca', ...none, ece: null }),
      { ...runAt('daca', 2), seed: 7 },
    ],
  );
  expect(pool.entries()).toEqual([]);
});

test('risk at full coverage is the error, every example counts once, and a temperature changes no answer', () => {
  const unlabelled = labels.map((label, n) => (n < 25 ? -1 : label));
  const rows = riskRows({ targetLogits, labels: unlabelled }, split, [runAt('vanilla', 1), runAt('daca', 2)]);
  const wrong = [...evaluation].filter(
    (n) => n >= 25 && logits[n]!.indexOf(Math.max(...logits[n]!)) !== labels[n],
  ).length;
  expect(rows.map(({ method, examples }) => [method, examples])).toEqual([
    ['vanilla', 35],
    ['daca', 35],
  ]);
  for (const { points } of rows) {
    expect(points).toHaveLength(10);
    expect(points.at(-1)).toMatchObject({ coverage: 1, count: 35, risk: wrong / 35 });
  }
});
