import { expect, it } from 'vitest';
import { signalSketch } from '../../../src/inference/drift/signal-sketch.js';
import { kolmogorovTail, SignalWindow } from '../../../src/inference/drift/signal-window.js';
import { normalDraws } from '../../../src/inference/law/normal-draws.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';

const draws = (seed: number, count: number) => Float64Array.from(normalDraws(seededGenerator(seed), count));
const windowOf = (fit: Float64Array, values: Float64Array) => {
  const window = new SignalWindow(signalSketch(fit)!);
  for (const value of values) window.add(value);
  return window;
};

it('has the tail of the law of Kolmogorov', () => {
  // Critical values of the tables.
  expect(kolmogorovTail(1.3581)).toBeCloseTo(0.05, 4);
  expect(kolmogorovTail(1.6276)).toBeCloseTo(0.01, 4);
  expect([kolmogorovTail(0), kolmogorovTail(0.1), kolmogorovTail(9)]).toEqual([1, 1, expect.closeTo(0, 30)]);
});

it('finds the largest distance of the two distribution functions, ties and all', () => {
  const tied = (values: Float64Array) => values.map((value) => Math.round(2 * value) / 2);
  for (const [fit, values] of [
    [draws(1, 200), draws(2, 70).map((value) => value + 0.4)],
    [tied(draws(3, 200)), tied(draws(4, 90))],
  ] as const) {
    const shareUpTo = (sample: Float64Array, x: number) => sample.filter((value) => value <= x).length / sample.length;
    // Between two numbers of the fit a window can be farther off than at one of them, by what lies between them alone.
    const expected = Math.max(...[...fit].map((x) => Math.abs(shareUpTo(fit, x) - shareUpTo(values, x))));
    const { distance, rows } = windowOf(fit, values).test();
    expect(rows).toBe(values.length);
    expect(distance).toBeGreaterThanOrEqual(expected - 1e-12);
    expect(distance).toBeLessThan(expected + 0.03);
  }
});

it('calls samples of one law different about as often as it says, and a shifted one nearly always', () => {
  const share = (shift: number) => {
    let found = 0;
    for (let trial = 0; trial < 200; trial++) {
      const fit = draws(2 * trial, 500);
      const values = draws(2 * trial + 1, 60).map((value) => value + shift);
      if (windowOf(fit, values).test().pValue <= 0.05) found++;
    }
    return found / 200;
  };
  expect(share(0)).toBeLessThanOrEqual(0.08);
  expect(share(1)).toBeGreaterThan(0.95);
});

it('goes on from counts that were written down', () => {
  const [fit, values] = [draws(5, 100), draws(6, 80)];
  const first = windowOf(fit, values.subarray(0, 30));
  const second = new SignalWindow(signalSketch(fit)!, JSON.parse(JSON.stringify(first.counts)));
  for (const value of values.subarray(30)) second.add(value);
  expect(second.test()).toEqual(windowOf(fit, values).test());
});

it('keeps 512 quantiles of a longer sample, and takes off the distance what they leave out', () => {
  const long = draws(7, 20_000);
  const sketch = signalSketch(long)!;
  expect([sketch.rows, sketch.values.length]).toEqual([20_000, 512]);
  const sorted = long.toSorted();
  expect(sketch.values[256]).toBeCloseTo(sorted[10_000]!, 1);
  expect(windowOf(long, draws(8, 400)).test().pValue).toBeGreaterThan(0.01);
});

it('leaves out what is not known', () => {
  expect(signalSketch(Float64Array.of(Number.NaN))).toBe(null);
  expect(signalSketch(Float64Array.of(Number.NaN, 1))).toEqual({ rows: 1, values: [1] });
  expect(windowOf(draws(9, 50), Float64Array.of(Number.NaN, 0)).rows).toBe(1);
});
