import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CODE_FILE, compiledKernels } from '../../../kernels/compile.js';
import { predictions } from '../../../src/calibration/answers/predictions.js';
import { alignmentSlope } from '../../../src/calibration/fit/alignment-slope.js';
import { meanDoubt } from '../../../src/calibration/fit/mean-doubt.js';
import { alignWithModel, logitGaps } from '../../../src/calibration/fit/teacher-alignment.js';
import { evaluate } from '../../../src/metrics/evaluate.js';
import { expOfGap } from '../../../src/numeric/exp-of-gap.js';
import { rowKernels } from '../../../src/numeric/kernels/row-kernels.js';
import { type RaggedRows, raggedRows } from '../../../src/numeric/ragged-rows.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
import { SEEDED } from '../../calibration/random-target.js';

test('the committed code is what its source compiles to', async () => {
  expect(readFileSync(CODE_FILE, 'utf8')).toBe(await compiledKernels());
}, 60_000);

/** Functions of the same modules, loaded where WebAssembly is not to be had. */
async function importPlain() {
  vi.stubGlobal('WebAssembly', undefined);
  vi.resetModules();
  const [answers, slope, doubt, metrics, kernels] = await Promise.all([
    import('../../../src/calibration/answers/predictions.js'),
    import('../../../src/calibration/fit/alignment-slope.js'),
    import('../../../src/calibration/fit/mean-doubt.js'),
    import('../../../src/metrics/evaluate.js'),
    import('../../../src/numeric/kernels/row-kernels.js'),
  ]);
  return { ...answers, ...slope, ...doubt, ...metrics, ...kernels };
}

let plain: Awaited<ReturnType<typeof importPlain>>;
beforeAll(async () => {
  plain = await importPlain();
  expect(plain.rowKernels()).toBeNull();
  vi.unstubAllGlobals();
});
afterAll(() => vi.unstubAllGlobals());

/** Rows of any length, with ties, options of probability 0 (where wanted) and logits far apart. */
function randomRows(seed: number, [rows, longest, scale]: readonly [number, number, number], impossible: boolean) {
  const generator = seededGenerator(seed);
  const uniform = () => (generator.next() >>> 0) / 2 ** 32;
  const logit = () => {
    const kind = uniform();
    if (impossible && kind < 0.05) return Number.NEGATIVE_INFINITY;
    return kind < 0.3 ? Math.floor(4 * uniform()) : scale * (2 * uniform() - 1);
  };
  return raggedRows(
    Array.from({ length: rows }, () => [
      scale * uniform(),
      ...Array.from({ length: Math.floor(longest * uniform()) }, logit),
    ]),
  );
}

const shape = fc.tuple(
  fc.integer({ min: 1, max: 2500 }),
  fc.constantFrom(2, 5, 5, 5, 60, 300),
  fc.constantFrom(1, 8, 2000),
);
const beta = fc.constantFrom(0, 1e-9, 0.3, 1, 7, 1e6);
const seed = fc.integer({ min: 0, max: 2 ** 31 });
const FEW = { ...SEEDED, numRuns: 40 };

describe('kernels and JavaScript give the same bits', () => {
  test('every metric, at any temperature and with any bins', () => {
    const binning = fc.record({
      bins: fc.constantFrom(1, 10, 15, 49, 300),
      binEdges: fc.constantFrom('equal-width' as const, 'equal-mass' as const),
      edgeRule: fc.constantFrom('left-owned' as const, 'right-owned' as const),
    });
    fc.assert(
      fc.property(seed, shape, beta, binning, (seed, shape, beta, binning) => {
        const logits = randomRows(seed, shape, true);
        const labels = labelsOf(logits, seed);
        const indexes = Int32Array.from({ length: logits.rowCount }, (_, n) => n).filter((n) => n % 7 !== 3);
        const rows = { logits, indexes, labels };

        expect(evaluate(rows, beta, binning)).toEqual(plain.evaluate(rows, beta, binning));
      }),
      FEW,
    );
  });

  test('predictions and ties', () => {
    fc.assert(
      fc.property(seed, shape, (seed, shape) => {
        const logits = randomRows(seed, shape, true);
        expect(predictions(logits)).toEqual(plain.predictions(logits));
      }),
      FEW,
    );
  });

  test("L' and L'', rows of weight 0 among them", () => {
    fc.assert(
      fc.property(seed, shape, beta, (seed, shape, beta) => {
        const gaps = logitGaps(randomRows(seed, shape, false));
        const alignment = alignWithModel(gaps, { ...gaps, values: gaps.values.map((gap) => gap / 3) });
        const weights = Float64Array.from({ length: gaps.rowCount }, (_, n) => (n % 3) / 2);
        const { teacherMeans } = alignment;
        const objective = { alignment, weights, totalWeight: gaps.rowCount, rowLifts: null, teacherMeans };
        expect(alignmentSlope(objective, beta)).toEqual(plain.alignmentSlope(objective, beta));
      }),
      FEW,
    );
  });

  test('mean doubt and its derivative', () => {
    fc.assert(
      fc.property(seed, shape, beta, (seed, shape, beta) => {
        const gaps = logitGaps(randomRows(seed, shape, false));
        expect(meanDoubt(gaps, beta)).toEqual(plain.meanDoubt(gaps, beta));
      }),
      FEW,
    );
  });
});

test('a block of rows is measured as its definition says', () => {
  const { memory, measure } = rowKernels()!;
  const logits = randomRows(5, [700, 6, 8], true);
  const labels = labelsOf(logits, 5);
  const predicted = predictions(logits).indexes;
  memory.offsets.set(logits.offsets);
  memory.values.set(logits.values);
  memory.predictions.set(predicted);
  memory.labels.set(labels);

  const hits = Array.from(labels, (label, n) => Number(label === predicted[n]));
  expect(measure(logits.rowCount)).toBe(hits.reduce((sum, hit) => sum + hit, 0));
  expect([...memory.correct.subarray(0, logits.rowCount)]).toEqual(hits);
  expect(memory.confidences.subarray(0, logits.rowCount)).toEqual(
    Float64Array.from(hits, (_, n) => {
      const row = logits.values.subarray(logits.offsets[n], logits.offsets[n + 1]);
      return 1 / row.reduce((sum, value) => sum + expOfGap(value - row[predicted[n]!]!), 0);
    }),
  );
});

function labelsOf({ rowCount, offsets }: RaggedRows, seed: number): Int32Array {
  const generator = seededGenerator(seed + 1);
  return Int32Array.from(
    { length: rowCount },
    (_, n) => ((generator.next() >>> 0) % (offsets[n + 1]! - offsets[n]! + 1)) - 1,
  );
}
