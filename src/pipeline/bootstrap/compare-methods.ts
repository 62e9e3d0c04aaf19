import { bootstrapInterval, pairedDifference } from '../../metrics/bootstrap/bootstrap-interval.js';
import { isLabelFree } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import type { EceInterval } from '../../results/summarise-runs.js';
import type { BootstrappedMethod } from './bootstrap-pool.js';

export type Comparison = Results['comparisons'][number];

/** Percentile intervals of the ECE per target and method, and of their mean over the targets (target null). */
export function eceIntervals(dataset: string, methods: readonly BootstrappedMethod[]): EceInterval[] {
  const all = [...methods.map((each) => ({ ...each, target: each.target as string | null })), ...overTargets(methods)];
  return all.flatMap(({ target, method, combinationSize, ece, resampled }) => {
    const interval = bootstrapInterval(resampled, ece);
    if (interval === null) return [];
    return [{ dataset, target, method, combinationSize, lowPp: 100 * interval.low, highPp: 100 * interval.high }];
  });
}

/**
 * Every pair of label-free methods per target, the later minus the earlier one, on the same resamples, and the mean of
 * these differences over the targets (target null). A pair is left out where one method lacks a seed of the other, or
 * an example (it gave no answer): what is missing may be the hard part.
 */
export function compareMethods(dataset: string, methods: readonly BootstrappedMethod[]): Comparison[] {
  const competing = methods.filter(({ method }) => isLabelFree(method));
  const targets = [...new Set(competing.map(({ target }) => target))];
  const perTarget = targets.flatMap((target) => pairsOf(competing.filter((each) => each.target === target)));
  const pairs = new Map<string, Pair[]>();
  for (const pair of perTarget) {
    const key = JSON.stringify([pair.a.method, pair.a.combinationSize, pair.b.method, pair.b.combinationSize]);
    pairs.set(key, [...(pairs.get(key) ?? []), pair]);
  }
  const overall = [...pairs.values()].filter((same) => same.length > 1);
  return [
    ...perTarget.flatMap((pair) => comparison(dataset, pair.a.target, [pair])),
    ...overall.flatMap((same) => comparison(dataset, null, same)),
  ];
}

interface Pair {
  readonly a: BootstrappedMethod;
  readonly b: BootstrappedMethod;
}

function pairsOf(methods: readonly BootstrappedMethod[]): Pair[] {
  return methods.flatMap((a, i) =>
    methods
      .slice(0, i)
      .filter((b) => a.seeds.join() === b.seeds.join() && sameExamples(a.examples, b.examples))
      .map((b) => ({ a, b })),
  );
}

function sameExamples(a: readonly Int32Array[], b: readonly Int32Array[]): boolean {
  return a.every((examples, s) => {
    const others = b[s];
    if (examples === others) return true;
    return examples.length === others?.length && examples.every((each, i) => each === others[i]);
  });
}

function comparison(dataset: string, target: string | null, pairs: readonly Pair[]): Comparison[] {
  const [first] = pairs;
  if (first === undefined) return [];
  const { a, b } = first;
  const measured = pairs.reduce((sum, pair) => sum + pair.a.ece - pair.b.ece, 0) / pairs.length;
  const difference = pairedDifference(
    meanOf(pairs.map((pair) => pair.a.resampled)),
    meanOf(pairs.map((pair) => pair.b.resampled)),
    measured,
  );
  if (difference === null) return [];
  return [
    {
      dataset,
      target,
      methodA: a.method,
      combinationSizeA: a.combinationSize,
      methodB: b.method,
      combinationSizeB: b.combinationSize,
      differencePp: 100 * measured,
      lowPp: 100 * difference.low,
      highPp: 100 * difference.high,
      pValue: difference.pValue,
      targets: pairs.length,
      resamples: a.resampled.length,
    },
  ];
}

function overTargets(methods: readonly BootstrappedMethod[]) {
  const groups = new Map<string, [BootstrappedMethod, ...BootstrappedMethod[]]>();
  for (const each of methods) {
    const key = JSON.stringify([each.method, each.combinationSize]);
    const same = groups.get(key);
    if (same === undefined) groups.set(key, [each]);
    else same.push(each);
  }
  return [...groups.values()].map((same) => ({
    target: null,
    method: same[0].method,
    combinationSize: same[0].combinationSize,
    ece: same.reduce((sum, { ece }) => sum + ece, 0) / same.length,
    resampled: meanOf(same.map(({ resampled }) => resampled)),
  }));
}

function meanOf(arrays: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(arrays[0]?.length ?? 0);
  for (const array of arrays) for (let i = 0; i < mean.length; i++) mean[i]! += array[i]! / arrays.length;
  return mean;
}
