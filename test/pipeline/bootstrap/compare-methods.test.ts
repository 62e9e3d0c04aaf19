import { describe, expect, test } from 'vitest';
import { nestedBootstrap, type ResampledMethod } from '../../../src/inference/nested-bootstrap.js';
import { type Evaluation, evaluate } from '../../../src/metrics/evaluate.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { BootstrapPool } from '../../../src/pipeline/bootstrap/bootstrap-pool.js';
import { compareMethods } from '../../../src/pipeline/bootstrap/compare-methods.js';
import { exampleClusters } from '../../../src/pipeline/bootstrap/example-clusters.js';
import { inferCells } from '../../../src/pipeline/bootstrap/infer-cells.js';
import { binResampleCount, resampleCount } from '../../../src/pipeline/bootstrap/resample-count.js';

const N = 120;
const labels = Int32Array.from({ length: N }, (_, n) => (n % 9 === 0 ? -1 : (n * 7) % 3));
const logits = raggedRows(Array.from({ length: N }, (_, n) => [0, 1, 2].map((k) => 3 * Math.sin(7 * n + 3 * k))));
const binning = { bins: 10, binEdges: 'equal-width', edgeRule: 'left-owned' } as const;
const rowOfExample = Int32Array.from({ length: N }, (_, n) => n);
const half = (seed: number) => Int32Array.from({ length: N / 2 }, (_, i) => (2 * i + seed) % N);
const at = (beta: number, examples: Int32Array) => evaluate({ logits, indexes: examples, labels }, beta, binning)!;

/** The confidences that a method has at a fixed beta, for resamples. */
function fixed(beta: number): ResampledMethod {
  const { examples, confidences, correct } = at(beta, rowOfExample);
  const [all, right] = [new Float64Array(N), new Int8Array(N).fill(-1)];
  for (const [i, n] of examples.entries()) {
    all[n] = confidences[i]!;
    right[n] = correct[i]!;
  }
  return { kind: 'fixed', confidences: all, correct: right };
}

function pool(contentHashes: string[] | null = null) {
  const clusters = exampleClusters({ labels, contentHashes });
  const drawn = exampleClusters({ labels, contentHashes }, 'all');
  const design = {
    clusters: drawn.ofTarget({ rowOfExample })(rowOfExample),
    clusterCount: drawn.count,
    calibrationFraction: 0.3,
    splits: 2,
    resamples: 60,
    seed: 1,
  };
  const collected = new BootstrapPool(60);
  return {
    ofTarget(target: string) {
      const add = collected.ofTarget(target, clusters.ofTarget({ rowOfExample }));
      return (method: string, size: number | null, beta: number, evaluations: readonly [number, Evaluation][]) => {
        for (const [seed, evaluation] of evaluations) add(seed, method, size, evaluation);
        const [nested] = nestedBootstrap([fixed(beta)], design);
        collected.addResamples(target, method, size, nested!);
      };
    },
    measured: () => collected.measured(),
  };
}

const both = (beta: number): [number, Evaluation][] => [1, 2].map((seed) => [seed, at(beta, half(seed))]);

describe('methods on the same examples', () => {
  const collected = pool();
  for (const target of ['t', 'u']) {
    const add = collected.ofTarget(target);
    add('vanilla', null, 2, both(2));
    add('daca', null, 1, both(1));
    add('same-as-daca', null, 1, both(1));
    add('oracle-ts', null, 0.5, both(0.5));
    add(
      'often-silent',
      ...([null, 1, [1, 2].map((seed) => [seed, at(1, half(seed).subarray(3))])] as [
        null,
        number,
        [number, Evaluation][],
      ]),
    );
    add('supportcal', 2, 0.3, target === 'u' ? both(0.3) : both(0.3).slice(0, 1));
  }
  const methods = collected.measured();
  const comparisons = compareMethods('d', methods);
  const cells = inferCells('d', methods, { calibrationFraction: 0.3, diagnostics: 'full' });
  const pair = (target: string | null, a: string, b: string) =>
    comparisons.find((each) => each.target === target && each.methodA === a && each.methodB === b);
  const cell = (target: string | null, method: string) =>
    cells.find((each) => each.target === target && each.method === method)!;

  test('the later method is compared with the earlier one, on every target and on average', () => {
    const measured = [1, 2].map((seed) => at(1, half(seed)).ece - at(2, half(seed)).ece);
    const want = (100 * (measured[0]! + measured[1]!)) / 2;
    expect(pair('t', 'daca', 'vanilla')!.differencePp).toBeCloseTo(want, 10);
    expect(pair(null, 'daca', 'vanilla')).toMatchObject({ targets: 2, differencePp: expect.closeTo(want, 10) });
    expect(pair('t', 'vanilla', 'daca')).toBeUndefined();
  });

  test('the test is of signed errors: its interval is around their difference, and p-values are adjusted upwards', () => {
    for (const each of comparisons) {
      expect((each.lowPp + each.highPp) / 2).toBeCloseTo(each.signedDifferencePp!, 9);
      expect(each.pValueHolm! >= each.pValue).toBe(true);
    }
    expect(pair('t', 'daca', 'vanilla')!.pValue).toBeLessThan(0.01);
  });

  test('full diagnostics have intervals of the relatives of the ECE, a debiased error that of the error itself', () => {
    const daca = cell('t', 'daca');
    const { debiasedEce, rmsCe, debiasedRmsCe, classwiseEce } = daca.intervals!;
    expect(debiasedEce).toEqual({ lowPp: daca.eceLowPp, highPp: daca.eceHighPp });
    expect(debiasedRmsCe).toEqual(rmsCe);
    const { rmsCe: rms, classwiseEce: classwise } = at(1, half(1));
    for (const [interval, measured] of [
      [rmsCe!, rms],
      [classwiseEce!, classwise],
    ] as const) {
      expect(interval.lowPp).toBeLessThanOrEqual(100 * measured);
      expect(interval.highPp).toBeGreaterThan(0.5 * 100 * measured);
    }
    // The RMS of the same gaps is never below their mean.
    expect(rmsCe!.highPp).toBeGreaterThan(daca.eceHighPp! - 0.5);
    expect(inferCells('d', methods, { calibrationFraction: 0.3, diagnostics: 'basic' })[0]!.intervals).toBeNull();
  });

  test('a method compared with its twin differs by 0 with p = 1, and neither can be told from the best alone', () => {
    expect(pair('t', 'same-as-daca', 'daca')).toMatchObject({ differencePp: 0, pValue: 1, pValueHolm: 1 });
    expect(cell('t', 'daca').tiedWithBest).toBe(cell('t', 'same-as-daca').tiedWithBest);
    expect(cell('t', 'vanilla').tiedWithBest).toBe(false);
  });

  test('the fit on labels does not compete: it has an interval, and neither pair nor mark', () => {
    const names = new Set(comparisons.flatMap((each) => [each.methodA, each.methodB]));
    expect(names.has('oracle-ts')).toBe(false);
    expect(cell('t', 'oracle-ts')).toMatchObject({ tiedWithBest: null, eceLowPp: expect.any(Number) });
  });

  test('methods with other seeds or other examples are not compared and not marked', () => {
    expect(pair('t', 'supportcal', 'daca')).toBeUndefined();
    expect(pair('u', 'supportcal', 'daca')).toMatchObject({ combinationSizeA: 2, resamples: 60, targets: 1 });
    expect(pair(null, 'supportcal', 'daca')).toBeUndefined();
    expect(comparisons.some((each) => each.methodA === 'often-silent' || each.methodB === 'often-silent')).toBe(false);
    expect([cell('t', 'often-silent').tiedWithBest, cell('t', 'supportcal').tiedWithBest]).toEqual([null, null]);
  });

  test('the total standard error is that of the resamples; that of two targets alike is that of one', () => {
    expect(cell('t', 'daca').eceTotalSePp).toBeGreaterThan(1);
    expect(cell(null, 'daca').eceTotalSePp).toBeCloseTo(cell('t', 'daca').eceTotalSePp!, 10);
  });
});

test('one example alone, or copies of one, cannot vary: no interval and no p-value are made up', () => {
  const collected = pool(Array(N).fill('same'));
  const add = collected.ofTarget('t');
  for (const [method, beta] of [['vanilla', 2] as const, ['daca', 1] as const]) add(method, null, beta, both(beta));
  expect(collected.measured()).toEqual([]);
});

test('copies of one example are resampled together', () => {
  const errorOf = (collected: ReturnType<typeof pool>) => {
    collected.ofTarget('t')('vanilla', null, 2, [[1, at(2, rowOfExample)]]);
    return inferCells('d', collected.measured(), { calibrationFraction: 0.3, diagnostics: 'basic' })[0]!.eceTotalSePp!;
  };
  const inGroups = Array.from({ length: N }, (_, n) => `content ${n % 6}`);
  expect(errorOf(pool(inGroups))).not.toBeCloseTo(errorOf(pool()), 3);
});

test('resamples: what was asked for; else 500, fewer on large data sets, none where 40 would take long', () => {
  expect(resampleCount(0, 1)).toBe(0);
  expect(resampleCount(10_000, 1e9)).toBe(10_000);
  expect([1e3, 1e5, 3e5, 3e7].map((examples) => resampleCount('auto', examples))).toEqual([500, 150, 50, 0]);
});

test('bins are resampled 200 times where that is quick, and as often as was asked for', () => {
  expect([1e4, 2.5e5, 1e6].map((additions) => binResampleCount('auto', additions))).toEqual([200, 200, 0]);
  expect(binResampleCount(0, 1)).toBe(0);
  expect(binResampleCount(1000, 1e9)).toBe(1000);
});
