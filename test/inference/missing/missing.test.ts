import { describe, expect, it } from 'vitest';
import { eceRange } from '../../../src/inference/missing/ece-range.js';
import { slopeRange } from '../../../src/inference/missing/slope-range.js';
import { temperatureRange } from '../../../src/inference/missing/temperature-range.js';
import { optionsOfBits, type UntoldRow } from '../../../src/inference/missing/untold-row.js';

/** Numbers in [0, 1) that are the same in every run (Lehmer's generator). */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/** Log-probabilities of four options among which some were not told. */
function someRow(draw: () => number, untold: readonly number[], floor: number): UntoldRow {
  const told = Array.from({ length: 4 }, () => -5 * draw() - 0.1);
  const least = Math.min(...told.filter((_, k) => !untold.includes(k))) - draw();
  return { logits: told.map((value, k) => (untold.includes(k) ? least : value)), untold, floor };
}

/** Values that the untold options may have: a grid with both ends. */
function valuesOf({ logits, untold, floor }: UntoldRow, steps: number): number[][] {
  const grid = (k: number) =>
    Array.from({ length: steps }, (_, n) => floor + (((logits[k] ?? 0) - floor) * n) / (steps - 1));
  return untold.reduce<number[][]>(
    (all, k) => all.flatMap((row) => grid(k).map((value) => row.map((old, i) => (i === k ? value : old)))),
    [Array.from(logits)],
  );
}

function softmax(logits: readonly number[], beta: number): number[] {
  const most = Math.max(...logits);
  const masses = logits.map((value) => Math.exp(beta * (value - most)));
  const total = masses.reduce((sum, each) => sum + each, 0);
  return masses.map((each) => each / total);
}

const meanOf = (values: readonly number[], weights: readonly number[]) =>
  values.reduce((sum, value, k) => sum + value * (weights[k] ?? 0), 0);

const slopeOf = (logits: readonly number[], teacher: readonly number[], beta: number) =>
  meanOf(logits, softmax(logits, beta)) - meanOf(logits, softmax(teacher, 1));

/** Root by plain bisection, from the definition. */
function betaOf(rows: readonly { target: readonly number[]; teacher: readonly number[] }[]): number {
  let [low, high] = [1e-9, 64];
  for (let n = 0; n < 50; n++) {
    const middle = (low + high) / 2;
    if (rows.reduce((sum, { target, teacher }) => sum + slopeOf(target, teacher, middle), 0) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

describe('the slope of the loss where options are untold', () => {
  it.each([
    [[3], []],
    [[3], [2, 3]],
    [[], [1, 3]],
    [[0, 2], [2]],
  ])(
    'lies within its range at every value of them, and reaches it where it is exact (target %j, teacher %j)',
    (own, other) => {
      const draw = lehmer(7);
      for (let trial = 0; trial < 3; trial++) {
        const [target, teacher] = [someRow(draw, own, -12), someRow(draw, other, -12)];
        for (const beta of [0.05, 0.6, 3]) {
          const { low, high, exact } = slopeRange(target, teacher, beta);
          const steps = own.length > 1 ? 9 : 61;
          const all = valuesOf(target, steps).flatMap((z) => valuesOf(teacher, 4).map((p) => slopeOf(z, p, beta)));
          expect(Math.min(...all)).toBeGreaterThanOrEqual(low - 1e-9);
          expect(Math.max(...all)).toBeLessThanOrEqual(high + 1e-9);
          expect(exact).toBe(own.length < 2);
          if (!exact) continue;
          expect(Math.max(...all)).toBeCloseTo(high, 9);
          expect(Math.min(...all) - low).toBeLessThan(0.02);
        }
      }
    },
  );

  it('has no upper end where the target says nothing of an option that the teacher gives mass to', () => {
    const told: UntoldRow = { logits: [-0.5, -1, -3], untold: [], floor: Number.NEGATIVE_INFINITY };
    const target: UntoldRow = { ...told, untold: [2] };
    expect(slopeRange(target, told, 1).high).toBe(Number.POSITIVE_INFINITY);
    expect(slopeRange(target, told, 1).low).toBeGreaterThan(-10);
    expect(slopeRange(told, { ...told, untold: [2] }, 1).high).toBeLessThan(10);
  });
});

describe('the temperature where options are untold', () => {
  const draw = lehmer(11);
  const rows = Array.from({ length: 6 }, (_, n) => ({
    target: someRow(draw, n % 3 === 0 ? [3] : [], -9),
    teacher: someRow(draw, n % 2 === 0 ? [2] : [], -9),
    weight: 1,
  }));

  it('lies between two roots, which some values of the options have', () => {
    const range = temperatureRange(rows);
    expect(range.exact).toBe(true);
    const corners = rows.map(({ target, teacher }) => ({
      targets: valuesOf(target, 31),
      teachers: valuesOf(teacher, 3),
    }));
    // The rows do not hang together: the worst of each at the root is the worst of all.
    const extreme = (sign: 1 | -1, beta: number) =>
      corners.map(({ targets, teachers }) => {
        const all = targets.flatMap((target) => teachers.map((teacher) => ({ target, teacher })));
        return all.reduce((best, each) =>
          sign * (slopeOf(each.target, each.teacher, beta) - slopeOf(best.target, best.teacher, beta)) > 0
            ? each
            : best,
        );
      });
    expect(betaOf(extreme(1, range.low))).toBeCloseTo(range.low, 6);
    expect(betaOf(extreme(-1, range.high))).toBeCloseTo(range.high, 2);
    for (let trial = 0; trial < 20; trial++) {
      const pick = <T>(from: readonly T[]) => from[Math.floor(draw() * from.length)] as T;
      const beta = betaOf(corners.map(({ targets, teachers }) => ({ target: pick(targets), teacher: pick(teachers) })));
      expect(beta).toBeGreaterThanOrEqual(range.low - 1e-9);
      expect(beta).toBeLessThanOrEqual(range.high + 1e-9);
    }
  });

  it('is one number where every option was told, and has no upper end without a floor', () => {
    const all = rows.map((row) => ({
      ...row,
      target: { ...row.target, untold: [] },
      teacher: { ...row.teacher, untold: [] },
    }));
    const { low, high } = temperatureRange(all);
    expect(low).toBeCloseTo(high, 10);
    expect(low).toBeCloseTo(
      betaOf(
        all.map(({ target, teacher }) => ({ target: Array.from(target.logits), teacher: Array.from(teacher.logits) })),
      ),
      9,
    );
    const open = rows.map((row) => ({ ...row, target: { ...row.target, floor: Number.NEGATIVE_INFINITY } }));
    expect(temperatureRange(open).low).toBe(0);
    expect(temperatureRange(open).high).toBeGreaterThan(0);
  });
});

describe('the ECE where options are untold', () => {
  const binning = { bins: 10, binEdges: 'equal-width', edgeRule: 'left-owned' } as const;
  const draw = lehmer(5);
  const rows = Array.from({ length: 40 }, (_, n) => ({
    target: someRow(draw, n % 4 === 0 ? [1, 3] : [], -20),
    correct: draw() < 0.5,
  }));
  const eceOf = (logits: readonly (readonly number[])[], beta: number) => {
    const sums = new Array<number>(10).fill(0);
    for (const [n, row] of logits.entries()) {
      const confidence = Math.max(...softmax(row, beta));
      sums[Math.min(9, Math.floor(confidence * 10))]! += confidence - (rows[n]?.correct ? 1 : 0);
    }
    return sums.reduce((sum, each) => sum + Math.abs(each), 0) / rows.length;
  };

  it('lies within its bounds at all values and temperatures, and is one number where all is told', () => {
    const bounds = eceRange(rows, { low: 0.4, high: 0.9 }, binning);
    const values = rows.map(({ target }) => valuesOf(target, 9));
    for (let trial = 0; trial < 100; trial++) {
      const logits = values.map((each) => each[Math.floor(draw() * each.length)] ?? []);
      const ece = eceOf(logits, 0.4 + 0.5 * draw());
      expect(ece).toBeGreaterThanOrEqual((bounds?.low ?? 1) - 1e-12);
      expect(ece).toBeLessThanOrEqual((bounds?.high ?? 0) + 1e-12);
    }
    const told = rows.map((row) => ({ ...row, target: { ...row.target, untold: [] } }));
    const one = eceRange(told, { low: 0.7, high: 0.7 }, binning);
    expect(one?.low).toBeCloseTo(one?.high ?? -1, 12);
    expect(one?.low).toBeCloseTo(
      eceOf(
        told.map(({ target }) => Array.from(target.logits)),
        0.7,
      ),
      12,
    );
  });

  it('is not bounded for bins of equal mass', () => {
    expect(eceRange(rows, { low: 1, high: 1 }, { ...binning, binEdges: 'equal-mass' })).toBeNull();
  });
});

it('reads options from the bits of a number', () => {
  expect(optionsOfBits(0)).toEqual([]);
  expect(optionsOfBits(0b1010)).toEqual([1, 3]);
});
