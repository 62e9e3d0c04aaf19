import { describe, expect, it } from 'vitest';
import { type BinGaps, binGaps, binnedError } from '../../../src/inference/interval/bin-gaps.js';
import { classwiseWidening } from '../../../src/inference/interval/classwise-widening.js';
import { eceInterval } from '../../../src/inference/interval/ece-interval.js';
import { normalDraws, uniformDraw } from '../../../src/inference/law/normal-draws.js';
import { reliabilityBins } from '../../../src/metrics/bins/reliability-bins.js';
import { drawIndex } from '../../../src/numeric/random/draw-index.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
import { softmax } from '../../../src/numeric/softmax.js';

/** Bins of all classes of N examples whose labels follow softmax(z), probabilities softmax(beta z). */
function classBins(options: number, { beta, count, seed }: { beta: number; count: number; seed: number }): BinGaps {
  const generator = seededGenerator(seed);
  const rows = Array.from({ length: count }, () => {
    const logits = normalDraws(generator, options).map((z) => 1.6 * z);
    return { probabilities: softmax(logits, beta), label: drawIndex([...logits], 1, uniformDraw(generator)) };
  });
  const ofClass = (k: number) =>
    reliabilityBins(
      Float64Array.from(rows, ({ probabilities }) => probabilities[k]!),
      Uint8Array.from(rows, ({ label }) => Number(label === k)),
    );
  return binGaps([Array.from({ length: options }, (_, k) => ofClass(k)).flat()]);
}

const widening = (options: number, beta: number, count = 3000) =>
  classwiseWidening(classBins(options, { beta, count, seed: 5 }), options);

describe('classwiseWidening', () => {
  it('is the root of 2 for two options, whose second class repeats the first', () => {
    for (const beta of [0.5, 1, 4]) expect(widening(2, beta)).toBeCloseTo(Math.SQRT2, 12);
  });

  it('lies between that of squared correlations and that of opposite signs', () => {
    for (const options of [3, 4, 8])
      for (const beta of [0.4, 1, 1.3, 2, 6])
        for (const count of [100, 3000]) {
          const wide = widening(options, beta, count);
          expect(wide).toBeGreaterThanOrEqual(Math.sqrt(1 + 1 / (options - 1)) - 1e-12);
          expect(wide).toBeLessThanOrEqual(Math.SQRT2);
        }
  });

  it('is larger where a sure class has one sign and the others the other one than where there is noise alone', () => {
    expect(widening(4, 1)).toBeCloseTo(Math.sqrt(4 / 3), 2);
    expect(widening(4, 6)).toBeGreaterThan(1.165);
  });

  it('makes intervals as wide as classwise errors of over-confident models really scatter', () => {
    const samples = Array.from({ length: 120 }, (_, n) => classBins(4, { beta: 4, count: 1429, seed: 100 + n }));
    const errors = samples.map((bins) => binnedError(bins, bins.gaps, 1));
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const deviation = Math.sqrt(errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / (errors.length - 1));
    const [bins] = samples as [BinGaps, ...BinGaps[]];
    const { low, high } = eceInterval(bins, errors[0]!, { widening: classwiseWidening(bins, 4) });
    const ratio = (high - low) / (2 * 1.96 * deviation);
    // The deviation of 120 errors is known to 7 %.
    expect(ratio).toBeGreaterThan(0.85);
    expect(ratio).toBeLessThan(1.25);
  });
});
