import { expect, it } from 'vitest';
import { roundedSignal, signalSketch } from '../../../src/inference/drift/signal-sketch.js';
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
    const [points, window] = [fit.map(roundedSignal), values.map(roundedSignal)];
    const share = (sample: Float64Array, holds: (value: number) => boolean) =>
      sample.filter(holds).length / sample.length;
    const gap = (holds: (value: number) => boolean) => Math.abs(share(points, holds) - share(window, holds));
    // The functions are farthest apart right before a number of the fit, or at one.
    const expected = Math.max(...[...points].flatMap((x) => [gap((value) => value < x), gap((value) => value <= x)]));
    const { distance, rows, fitMedian, median } = windowOf(fit, values).test();
    expect([rows, distance]).toEqual([values.length, expect.closeTo(expected, 12)]);
    expect(fitMedian).toBe(points.toSorted()[fit.length >> 1]);
    expect(median).toBe(points.toSorted().find((x) => 2 * share(window, (value) => value <= x) >= 1));
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

it('puts quantiles in the middle of their shares, and takes 1/512 off a distance from them', () => {
  const long = Float64Array.from({ length: 1024 }, (_, n) => n);
  expect(signalSketch(long)!.values).toEqual(Array.from({ length: 512 }, (_, i) => 2 * i + 1));
  const above = windowOf(
    long,
    Float64Array.from({ length: 40 }, (_, n) => 100.5 + 25 * n),
  ).test();
  const size = Math.sqrt((1024 * 40) / 1064);
  expect(above.distance).toBeCloseTo(50 / 512, 2);
  expect(above.pValue).toBeCloseTo(kolmogorovTail((size + 0.12 + 0.11 / size) * (above.distance - 1 / 512)), 12);
  const short = windowOf(
    long.subarray(0, 512),
    Float64Array.from({ length: 40 }, (_, n) => 50.5 + 12 * n),
  ).test();
  const shorter = Math.sqrt((512 * 40) / 552);
  expect(short.pValue).toBeCloseTo(kolmogorovTail((shorter + 0.12 + 0.11 / shorter) * short.distance), 12);
});

it('reads a number as the fit wrote it down, with six digits', () => {
  const thirds = new Float64Array(40).fill(1 / 3);
  expect(windowOf(thirds, thirds).test()).toMatchObject({ distance: 0, pValue: 1, median: 0.333333 });
});

it('leaves out what is not known', () => {
  expect(signalSketch(Float64Array.of(Number.NaN))).toBe(null);
  expect(signalSketch(Float64Array.of(Number.NaN, 1))).toEqual({ rows: 1, values: [1] });
  expect(windowOf(draws(9, 50), Float64Array.of(Number.NaN, 0)).rows).toBe(1);
});
