import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binErrors, eceOfBins } from '../../src/metrics/bins/bin-errors.js';
import type { Binning } from '../../src/metrics/bins/binning.js';
import { equalMassBins } from '../../src/metrics/bins/equal-mass-bins.js';
import { rankedConfidences } from '../../src/metrics/bins/ranked-confidences.js';
import { poolBins, reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { binResiduals } from '../../src/metrics/bootstrap/bin-residuals.js';
import { type Evaluation, evaluate } from '../../src/metrics/evaluate.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { shuffle } from '../../src/numeric/random/shuffle.js';

/** Examples of 2 to 6 options, some logits tied, labels among the options. */
const example = fc
  .array(fc.oneof(fc.double({ min: -8, max: 8, noNaN: true }), fc.integer({ min: -2, max: 2 })), {
    minLength: 2,
    maxLength: 6,
  })
  .chain((logits) => fc.record({ logits: fc.constant(logits), label: fc.nat(logits.length - 1) }));
const examples = fc.array(example, { minLength: 1, maxLength: 40 });
const binning: fc.Arbitrary<Binning> = fc.record({
  bins: fc.integer({ min: 1, max: 20 }),
  binEdges: fc.constantFrom('equal-width', 'equal-mass'),
  edgeRule: fc.constantFrom('left-owned', 'right-owned'),
});
const confidences = fc.array(
  fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(10).map((i) => i / 10),
  ),
  {
    minLength: 1,
    maxLength: 60,
  },
);

function measure(rows: readonly { logits: number[]; label: number }[], by: Partial<Binning>, beta = 1): Evaluation {
  const logits = raggedRows(rows.map((row) => row.logits));
  return evaluate(
    { logits, indexes: Int32Array.from(rows.keys()), labels: Int32Array.from(rows, (row) => row.label) },
    beta,
    by,
  )!;
}

/** Every number of an evaluation, flat. */
function numbers({
  bins,
  classBins: ____,
  brierParts,
  examples: _,
  confidences: __,
  correct: ___,
  ...rest
}: Evaluation) {
  return {
    ...rest,
    ...brierParts,
    ...Object.fromEntries(bins.flatMap((bin, b) => Object.entries(bin).map(([k, v]) => [`${k} ${b}`, v]))),
  };
}

function expectClose(a: Evaluation, b: Evaluation): void {
  const other = numbers(b) as Record<string, number | null>;
  for (const [name, value] of Object.entries(numbers(a))) {
    if (value === null) expect(other[name], name).toBeNull();
    else expect(Math.abs(value - other[name]!), name).toBeLessThan(1e-9);
  }
}

describe('evaluations of any examples and bins', () => {
  test('the order of the examples changes nothing', () => {
    fc.assert(
      fc.property(examples, binning, fc.nat(1000), (rows, by, seed) => {
        expectClose(
          measure(
            Array.from(shuffle(rows.length, seed), (n) => rows[n]!),
            by,
          ),
          measure(rows, by),
        );
      }),
      { numRuns: 100 },
    );
  });

  test('the order of the options changes nothing but the metrics per option', () => {
    fc.assert(
      fc.property(examples, binning, fc.nat(1000), (rows, by, seed) => {
        // A tied best logit would change the prediction: ties go to the lowest index.
        const clear = rows.filter(({ logits }) => logits.filter((z) => z === Math.max(...logits)).length === 1);
        fc.pre(clear.length > 0);
        const turned = clear.map(({ logits, label }) => {
          const order = [...shuffle(logits.length, seed)];
          return { logits: order.map((k) => logits[k]!), label: order.indexOf(label) };
        });
        const perOption = ({ classwiseEce: _, brierParts: __, ...rest }: Evaluation) =>
          ({ ...rest, classwiseEce: 0, brierParts: {} }) as unknown as Evaluation;
        expectClose(perOption(measure(turned, by)), perOption(measure(clear, by)));
      }),
      { numRuns: 100 },
    );
  });

  test('a constant added to a row, or a scale taken up by the temperature, changes nothing', () => {
    fc.assert(
      fc.property(examples, binning, fc.constantFrom(0.25, 2, 64), (rows, by, scale) => {
        const moved = rows.map(({ logits, label }) => ({ logits: logits.map((z) => scale * z), label }));
        const shifted = rows.map(({ logits, label }, n) => ({ logits: logits.map((z) => Math.round(z) + n), label }));
        const rounded = rows.map(({ logits, label }) => ({ logits: logits.map(Math.round), label }));
        expectClose(measure(moved, by, 1 / scale), measure(rows, by));
        expectClose(measure(shifted, by), measure(rounded, by));
      }),
      { numRuns: 100 },
    );
  });

  test('every metric keeps its range, and ECE <= RMS <= MCE', () => {
    fc.assert(
      fc.property(examples, binning, fc.constantFrom(0, 0.1, 1, 50), (rows, by, beta) => {
        const got = measure(rows, by, beta);
        const { ece, rmsCe, mce, adaptiveEce, classwiseEce, smoothEce, debiasedRmsCe, aurc, excessAurc } = got;
        for (const value of [ece, rmsCe, mce, adaptiveEce, classwiseEce, smoothEce, debiasedRmsCe, aurc, excessAurc]) {
          expect(value >= 0 && value <= 1 + 1e-12).toBe(true);
        }
        expect(ece).toBeLessThanOrEqual(rmsCe + 1e-12);
        expect(rmsCe).toBeLessThanOrEqual(mce + 1e-12);
        expect(debiasedRmsCe).toBeLessThanOrEqual(rmsCe + 1e-12);
        expect(got.debiasedEce).toBeLessThanOrEqual(ece + 1e-12);
        expect(ece).toBeGreaterThanOrEqual(Math.abs(got.overconfidence) - 1e-12);
        expect(got.bins.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
      }),
      { numRuns: 200 },
    );
  });

  test('the parts of the Brier score add up to it', () => {
    fc.assert(
      fc.property(examples, binning, fc.constantFrom(0, 0.5, 5), (rows, by, beta) => {
        const { brier, brierParts: parts } = measure(rows, by, beta);
        const sum =
          parts.reliability -
          parts.resolution +
          parts.uncertainty +
          parts.withinBinVariance -
          parts.withinBinCovariance;
        expect(Math.abs(sum - brier)).toBeLessThan(1e-12);
      }),
      { numRuns: 200 },
    );
  });

  test('signed gaps of the bins add up to the signed gap of all', () => {
    fc.assert(
      fc.property(examples, binning, (rows, by) => {
        const got = measure(rows, by);
        const sum = got.bins.reduce((total, bin) => total + bin.count * (bin.overconfidence ?? 0), 0) / rows.length;
        expect(sum).toBeCloseTo(got.overconfidence, 12);
      }),
      { numRuns: 100 },
    );
  });
});

describe('bins of any confidences', () => {
  test('equal-mass bins hold N/B examples, rounded one way or the other, the larger ones first', () => {
    fc.assert(
      fc.property(confidences, fc.integer({ min: 1, max: 80 }), (c, bins) => {
        const made = equalMassBins(
          rankedConfidences(
            c,
            c.map((_, n) => n % 3 === 0),
          ),
          bins,
        );
        const counts = made.map(({ count }) => count);
        expect(counts).toEqual([...counts].sort((a, b) => b - a));
        expect(counts[0]! - counts.at(-1)!).toBeLessThanOrEqual(1);
        expect(counts.reduce((a, b) => a + b)).toBe(c.length);
        const edges = [...made.map(({ lower }) => lower), made.at(-1)!.upper];
        expect(edges).toEqual([...edges].sort((a, b) => a - b));
        expect([edges[0], edges.at(-1)]).toEqual([0, 1]);
      }),
    );
  });

  test('the residuals that the bootstrap draws give the ECE of the same bins', () => {
    fc.assert(
      fc.property(confidences, binning, (c, by) => {
        const correct = c.map((_, n) => (n * 7) % 3 === 0).map(Number);
        const { residuals, starts, examples: entries } = binResiduals(Float64Array.from(c), correct, by);
        const sums = Array.from({ length: by.bins }, (_, b) =>
          Math.abs(residuals.subarray(starts[b], starts[b + 1]).reduce((sum, residual) => sum + residual, 0)),
        );
        expect(starts.at(-1)).toBe(residuals.length);
        expect(new Set(entries).size).toBe(c.length);
        expect(sums.reduce((a, b) => a + b) / c.length).toBeCloseTo(eceOfBins(reliabilityBins(c, correct, by)), 12);
      }),
    );
  });

  test('an edge goes to the bin on its right when left-owned, on its left when right-owned', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.nat(), (bins, draw) => {
        const i = 1 + (draw % (bins - 1));
        const edge = i * (1 / bins);
        const at = (edgeRule: Binning['edgeRule']) =>
          reliabilityBins([edge], [1], { bins, edgeRule }).findIndex(({ count }) => count === 1);
        expect([at('left-owned'), at('right-owned')]).toEqual([i, i - 1]);
      }),
    );
  });

  test('both rules give 0 to the first and 1 to the last bin', () => {
    for (const edgeRule of ['left-owned', 'right-owned'] as const) {
      expect(reliabilityBins([0, 1], [1, 1], { bins: 4, edgeRule }).map(({ count }) => count)).toEqual([1, 0, 0, 1]);
    }
  });

  test('a perfectly calibrated sample has no error, whatever the bins', () => {
    const c = [...Array(10).fill(0.3), ...Array(10).fill(0.8)];
    const correct = c.map((confidence, n) => Number(n % 10 < Math.round(confidence * 10)));
    for (const by of [{ bins: 10 }, { bins: 1 }, { bins: 2, binEdges: 'equal-mass' as const }]) {
      const { ece, mce, rmsCe, debiasedRmsCe } = binErrors(reliabilityBins(c, correct, by));
      for (const error of [ece, mce, rmsCe, debiasedRmsCe]) expect(error).toBeCloseTo(0, 14);
    }
  });

  test('equal-mass bins of several seeds pool rank by rank', () => {
    const by = { bins: 2, binEdges: 'equal-mass' as const };
    const pooled = poolBins([reliabilityBins([0.2, 0.6], [0, 1], by), reliabilityBins([0.4, 0.8], [1, 1], by)]);
    expect(pooled.map(({ count, accuracy }) => [count, accuracy])).toEqual([
      [2, 0.5],
      [2, 1],
    ]);
    expect(pooled[0]!.upper).toBeCloseTo(0.7, 14);
    expect(pooled[1]!.lower).toBe(pooled[0]!.upper);
  });
});
