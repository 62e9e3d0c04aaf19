import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/metrics/evaluate.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { BootstrapPool } from '../../../src/pipeline/bootstrap/bootstrap-pool.js';
import { compareMethods, eceIntervals } from '../../../src/pipeline/bootstrap/compare-methods.js';
import { exampleClusters } from '../../../src/pipeline/bootstrap/example-clusters.js';
import { binResampleCount, resampleCount } from '../../../src/pipeline/bootstrap/resample-count.js';

const N = 60;
const labels = Int32Array.from({ length: N }, (_, n) => (n % 9 === 0 ? -1 : (n * 7) % 3));
const logits = raggedRows(Array.from({ length: N }, (_, n) => [0, 1, 2].map((k) => 3 * Math.sin(7 * n + 3 * k))));
const binning = { bins: 10, binEdges: 'equal-width', edgeRule: 'left-owned' } as const;
const rowOfExample = Int32Array.from({ length: N }, (_, n) => n);

function pool(contentHashes: string[] | null = null) {
  const clusters = exampleClusters({ labels, contentHashes });
  const bootstrap = new BootstrapPool(clusters, binning, 50);
  return {
    ofTarget: (target: string) => bootstrap.ofTarget(target, clusters.ofTarget({ rowOfExample })),
    resample: () => bootstrap.resample(),
  };
}

const half = (seed: number) => Int32Array.from({ length: N / 2 }, (_, i) => (2 * i + seed) % N);
const at = (beta: number, examples: Int32Array) => evaluate({ logits, indexes: examples, labels }, beta, binning)!;

describe('methods on the same examples', () => {
  const bootstrap = pool();
  for (const target of ['t', 'u']) {
    const add = bootstrap.ofTarget(target);
    for (const seed of [1, 2]) {
      add(seed, 'vanilla', null, at(2, half(seed)));
      add(seed, 'daca', null, at(1, half(seed)));
      add(seed, 'same-as-daca', null, at(1, half(seed)));
      add(seed, 'oracle-ts', null, at(0.5, half(seed)));
      add(seed, 'often-silent', null, at(1, half(seed).subarray(3)));
      if (seed === 1 || target === 'u') add(seed, 'supportcal', 2, at(0.3, half(seed)));
    }
  }
  const methods = bootstrap.resample();
  const comparisons = compareMethods('d', methods);
  const pair = (target: string | null, a: string, b: string) =>
    comparisons.find((each) => each.target === target && each.methodA === a && each.methodB === b);

  test('the later method is compared with the earlier one, on every target and on average', () => {
    const measured = [1, 2].map((seed) => at(1, half(seed)).ece - at(2, half(seed)).ece);
    const want = (100 * (measured[0]! + measured[1]!)) / 2;
    expect(pair('t', 'daca', 'vanilla')!.differencePp).toBeCloseTo(want, 10);
    expect(pair(null, 'daca', 'vanilla')).toMatchObject({ targets: 2, differencePp: expect.closeTo(want, 10) });
    expect(pair('t', 'vanilla', 'daca')).toBeUndefined();
  });

  test('a method compared with its twin differs by 0 with p = 1', () => {
    expect(pair('t', 'same-as-daca', 'daca')).toMatchObject({ differencePp: 0, lowPp: 0, highPp: 0, pValue: 1 });
  });

  test('the fit on labels does not compete: it has an interval and no pair', () => {
    const names = new Set(comparisons.flatMap((each) => [each.methodA, each.methodB]));
    expect(names.has('oracle-ts')).toBe(false);
    const bounded = new Set(eceIntervals('d', methods).map((each) => each.method));
    expect(bounded.has('oracle-ts')).toBe(true);
  });

  test('methods with other seeds or other examples are not compared', () => {
    expect(pair('t', 'supportcal', 'daca')).toBeUndefined();
    expect(pair('u', 'supportcal', 'daca')).toMatchObject({ combinationSizeA: 2, resamples: 50, targets: 1 });
    expect(pair(null, 'supportcal', 'daca')).toBeUndefined();
    expect(comparisons.some((each) => each.methodA === 'often-silent' || each.methodB === 'often-silent')).toBe(false);
  });
});

test('one example alone, or copies of one, cannot vary: no interval and no p-value are made up', () => {
  const bootstrap = pool(Array(N).fill('same'));
  const add = bootstrap.ofTarget('t');
  for (const [method, beta] of [['vanilla', 2] as const, ['daca', 1] as const]) add(1, method, null, at(beta, half(1)));
  expect(bootstrap.resample()).toEqual([]);
});

test('copies of one example are resampled together', () => {
  const spreadOf = (bootstrap: ReturnType<typeof pool>) => {
    bootstrap.ofTarget('t')(1, 'vanilla', null, at(2, rowOfExample));
    const { lowPp, highPp } = eceIntervals('d', bootstrap.resample())[0]!;
    return highPp - lowPp;
  };
  const inGroups = Array.from({ length: N }, (_, n) => `content ${n % 6}`);
  expect(spreadOf(pool(inGroups))).not.toBeCloseTo(spreadOf(pool()), 3);
});

test('resamples: what was asked for; else 500, fewer on large data sets, none where 200 would take long', () => {
  expect(resampleCount(0, 1)).toBe(0);
  expect(resampleCount(10_000, 1e9)).toBe(10_000);
  expect([1e3, 1e6, 2e6, 3e7].map((additions) => resampleCount('auto', additions))).toEqual([500, 400, 200, 0]);
});

test('bins are resampled 200 times where that is quick, and as often as was asked for', () => {
  expect([1e4, 2.5e5, 1e6].map((additions) => binResampleCount('auto', additions))).toEqual([200, 200, 0]);
  expect(binResampleCount(0, 1)).toBe(0);
  expect(binResampleCount(1000, 1e9)).toBe(1000);
});
