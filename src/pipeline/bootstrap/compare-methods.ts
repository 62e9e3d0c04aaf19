import { groupBy } from '../../contract/group-by.js';
import { holmAdjusted } from '../../inference/adjusted-p-values.js';
import { pairedDifference } from '../../inference/paired-difference.js';
import { isLabelFree } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import type { MeasuredMethod } from './bootstrap-pool.js';
import { overTargets } from './over-targets.js';
import { isTested, sameExamples, type TestedMethod } from './same-examples.js';

export type Comparison = Results['comparisons'][number];

/**
 * Every pair of label-free methods per target, the later minus the earlier one, on the same resamples, and the mean of
 * these differences over the targets (target null). A pair is left out where one method lacks a seed of the other, or
 * an example (it gave no answer): what is missing may be the hard part. Adjusted p-values are of two families (Holm):
 * all pairs of all targets, and all pairs of means over targets.
 */
export function compareMethods(dataset: string, methods: readonly MeasuredMethod[]): Comparison[] {
  const competing = methods.filter(isTested).filter(({ method }) => isLabelFree(method));
  const targets = [...new Set(competing.map(({ target }) => target))];
  const perTarget = targets.flatMap((target) => pairsOf(competing.filter((each) => each.target === target)));
  const pairs = groupBy(perTarget, ({ a, b }) =>
    JSON.stringify([a.method, a.combinationSize, b.method, b.combinationSize]),
  );
  const overall = [...pairs.values()].filter((same) => same.length > 1);
  return [
    ...adjusted(perTarget.flatMap((pair) => comparison(dataset, pair.a.target, [pair]))),
    ...adjusted(overall.flatMap((same) => comparison(dataset, null, same))),
  ];
}

interface Pair {
  readonly a: TestedMethod;
  readonly b: TestedMethod;
}

function pairsOf(methods: readonly TestedMethod[]): Pair[] {
  return methods.flatMap((a, i) =>
    methods
      .slice(0, i)
      .filter((b) => sameExamples(a, b))
      .map((b) => ({ a, b })),
  );
}

function adjusted(family: readonly Comparison[]): Comparison[] {
  const pValues = holmAdjusted(family.map(({ pValue }) => pValue));
  return family.map((each, i) => ({ ...each, pValueHolm: pValues[i] ?? 1 }));
}

function comparison(dataset: string, target: string | null, pairs: readonly Pair[]): Comparison[] {
  const [first] = pairs;
  if (first === undefined) return [];
  const meanOf = (of: (pair: Pair) => number) => pairs.reduce((sum, pair) => sum + of(pair), 0) / pairs.length;
  const tested = pairedDifference(
    overTargets(pairs.map(({ a }) => a.signed)),
    overTargets(pairs.map(({ b }) => b.signed)),
  );
  const { a, b } = first;
  return [
    {
      dataset,
      target,
      methodA: a.method,
      combinationSizeA: a.combinationSize,
      methodB: b.method,
      combinationSizeB: b.combinationSize,
      differencePp: 100 * meanOf((pair) => pair.a.ece - pair.b.ece),
      signedDifferencePp: 100 * tested.difference,
      standardErrorPp: 100 * tested.standardError,
      lowPp: 100 * tested.low,
      highPp: 100 * tested.high,
      pValue: tested.pValue,
      pValueHolm: null,
      targets: pairs.length,
      resamples: a.nested.eces.length,
    },
  ];
}
