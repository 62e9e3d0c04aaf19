import type { SuitePlan } from '../../config/plan-suite.js';
import { groupBy } from '../../contract/group-by.js';
import { bestMethods } from '../../inference/best-methods.js';
import { binGaps } from '../../inference/interval/bin-gaps.js';
import { calibratedReference } from '../../inference/interval/calibrated-reference.js';
import { eceInterval, wideningOf } from '../../inference/interval/ece-interval.js';
import type { NestedResamples } from '../../inference/nested-bootstrap.js';
import { sampleStandardDeviation } from '../../numeric/mean.js';
import { methodKey } from '../../results/method-label.js';
import type { CellInference } from '../../results/summarise-runs.js';
import type { MeasuredMethod } from './bootstrap-pool.js';
import { meanColumn, overTargets } from './over-targets.js';
import { relatedIntervals } from './related-intervals.js';
import { competingMethods, type TestedMethod } from './same-examples.js';

type InferredSuite = Pick<SuitePlan, 'calibrationFraction' | 'diagnostics'>;

/**
 * What is known of every mean ECE of a data set beside its value: per target and method interval, total standard error,
 * what a calibrated model would show, and whether it can be told from the best; of the means over targets (target null)
 * the standard error and the last. Full diagnostics have intervals of the relatives of the ECE as well.
 *
 * @param known what `inferCell` said of some methods already
 */
export function inferCells(
  dataset: string,
  methods: readonly MeasuredMethod[],
  suite: InferredSuite,
  known: ReadonlyMap<MeasuredMethod, InferredCell> = new Map(),
): CellInference[] {
  const targets = [...new Set(methods.map(({ target }) => target))];
  const competing = targets.map((target) => competingMethods(methods.filter((each) => each.target === target)));
  const bestOf = new Map(competing.flatMap((tested) => zipBest(tested).map(([each, best]) => [each as object, best])));
  const cells = methods.map((each): CellInference => {
    const { target, method, combinationSize } = each;
    const cell = known.get(each) ?? inferCell(each, suite);
    return { dataset, target, method, combinationSize, ...cell, ...(bestOf.get(each) ?? UNTESTED) };
  });
  return [...cells, ...macroCells(dataset, methods, competing)];
}

export type InferredCell = Omit<
  CellInference,
  'dataset' | 'target' | 'method' | 'combinationSize' | 'tiedWithBest' | 'bestPValue'
>;

/** What is known of one method on one target by itself. */
export function inferCell(method: MeasuredMethod, { calibrationFraction, diagnostics }: InferredSuite): InferredCell {
  const { bins, ece, nested } = method;
  const totalError = totalErrorOf(nested);
  const gaps = binGaps(bins, 1 - calibrationFraction);
  const wider = totalError === null ? {} : { totalError };
  const { low, high } = eceInterval(gaps, ece, wider);
  const calibrated = calibratedReference(gaps, ece);
  return {
    eceLowPp: 100 * low,
    eceHighPp: 100 * high,
    eceTotalSePp: totalError === null ? null : 100 * totalError,
    calibratedMeanPp: 100 * calibrated.mean,
    calibratedHighPp: 100 * calibrated.high,
    calibratedPValue: calibrated.pValue,
    intervals:
      diagnostics === 'full'
        ? relatedIntervals(method, { gaps, ece: { low, high }, widening: wideningOf(gaps, wider) })
        : null,
  };
}

type Best = Pick<CellInference, 'tiedWithBest' | 'bestPValue'>;

const UNTESTED: Best = { tiedWithBest: null, bestPValue: null };

/** Means over the targets; only methods that compete on every target of the table are told apart. */
function macroCells(
  dataset: string,
  methods: readonly MeasuredMethod[],
  competing: ReadonlyArray<readonly TestedMethod[]>,
): CellInference[] {
  const groups = groupBy(methods, ({ method, combinationSize }) => methodKey(method, combinationSize));
  const inAll = [...groups.values()].flatMap((same) => {
    const tested = competing.flatMap((each) => each.filter((one) => same.includes(one)));
    const [first] = tested;
    if (first === undefined || tested.length < competing.length) return [];
    return [{ ...first, signed: overTargets(tested.map(({ signed }) => signed)) }];
  });
  const bestOf = new Map(zipBest(inAll).map(([each, best]) => [methodKey(each.method, each.combinationSize), best]));
  return [...groups].flatMap(([key, same]): CellInference[] => {
    const [first] = same;
    const nested = same.flatMap((each) => each.nested ?? []);
    if (first === undefined) return [];
    const error =
      nested.length < same.length ? null : totalErrorOf({ eces: meanColumn(nested.map(({ eces }) => eces)) });
    return [
      {
        dataset,
        target: null,
        method: first.method,
        combinationSize: first.combinationSize,
        eceLowPp: null,
        eceHighPp: null,
        eceTotalSePp: error === null ? null : 100 * error,
        calibratedMeanPp: null,
        calibratedHighPp: null,
        calibratedPValue: null,
        intervals: null,
        ...(bestOf.get(key) ?? UNTESTED),
      },
    ];
  });
}

function zipBest(tested: readonly TestedMethod[]): [TestedMethod, Best][] {
  const { set, pValues } = bestMethods(tested.map(({ signed }) => signed));
  return tested.map((each, i) => [each, { tiedWithBest: set[i] ?? true, bestPValue: pValues[i] ?? 1 }]);
}

/** The standard deviation over the resamples that have an ECE; null below two. */
function totalErrorOf(nested: Pick<NestedResamples, 'eces'> | null): number | null {
  return nested === null ? null : sampleStandardDeviation(nested.eces.filter((ece) => !Number.isNaN(ece)));
}
