import type { SuitePlan } from '../../config/plan-suite.js';
import { bestMethods } from '../../inference/best-methods.js';
import { type BinGaps, binGaps } from '../../inference/interval/bin-gaps.js';
import { calibratedReference } from '../../inference/interval/calibrated-reference.js';
import {
  classwiseWidening,
  type ErrorInterval,
  eceInterval,
  wideningOf,
} from '../../inference/interval/ece-interval.js';
import type { NestedResamples } from '../../inference/nested-bootstrap.js';
import { sampleStandardDeviation } from '../../numeric/mean.js';
import { groupBy } from '../../results/group-by.js';
import { methodKey } from '../../results/method-label.js';
import type { CellInference } from '../../results/summarise-runs.js';
import type { MeasuredMethod } from './bootstrap-pool.js';
import { overTargets } from './over-targets.js';
import { competingMethods, type TestedMethod } from './same-examples.js';

/**
 * What is known of every mean ECE of a data set beside its value: per target and method interval, total standard error,
 * what a calibrated model would show, and whether it can be told from the best; of the means over targets (target null)
 * the standard error and the last. Full diagnostics have intervals of the relatives of the ECE as well.
 */
export function inferCells(
  dataset: string,
  methods: readonly MeasuredMethod[],
  { calibrationFraction, diagnostics }: Pick<SuitePlan, 'calibrationFraction' | 'diagnostics'>,
): CellInference[] {
  const targets = [...new Set(methods.map(({ target }) => target))];
  const competing = targets.map((target) => competingMethods(methods.filter((each) => each.target === target)));
  const bestOf = new Map(competing.flatMap((tested) => zipBest(tested).map(([each, best]) => [each as object, best])));
  const cells = methods.map((each): CellInference => {
    const { target, method, combinationSize, bins, ece, nested } = each;
    const totalError = totalErrorOf(nested);
    const gaps = binGaps(bins, 1 - calibrationFraction);
    const { low, high } = eceInterval(gaps, ece, totalError === null ? {} : { totalError });
    const calibrated = calibratedReference(gaps, ece);
    return {
      dataset,
      target,
      method,
      combinationSize,
      eceLowPp: 100 * low,
      eceHighPp: 100 * high,
      eceTotalSePp: totalError === null ? null : 100 * totalError,
      calibratedMeanPp: 100 * calibrated.mean,
      calibratedHighPp: 100 * calibrated.high,
      calibratedPValue: calibrated.pValue,
      intervals: diagnostics === 'full' ? relatedIntervals(each, gaps, { low, high }) : null,
      ...(bestOf.get(each) ?? UNTESTED),
    };
  });
  return [...cells, ...macroCells(dataset, methods, competing)];
}

/**
 * Intervals of the errors that are made of the same bins, wider than at fixed temperatures by as much as that of the
 * ECE is. A debiased error estimates the same number as the error itself and shares its interval.
 */
function relatedIntervals(
  { rmsCe, classwise, bins, nested }: MeasuredMethod,
  gaps: BinGaps,
  ece: ErrorInterval,
): CellInference['intervals'] {
  const totalError = totalErrorOf(nested);
  const widening = wideningOf(gaps, totalError === null ? {} : { totalError });
  const rms = rmsCe === null ? null : inPp(eceInterval(gaps, rmsCe, { power: 2, widening }));
  return {
    debiasedEce: inPp(ece),
    rmsCe: rms,
    debiasedRmsCe: rms,
    classwiseEce:
      classwise === null
        ? null
        : inPp(
            eceInterval(binGaps(classwise.bins, bins.length === 1 ? 1 : gaps.overlap), classwise.ece, {
              widening: widening * classwiseWidening(classwise.options),
            }),
          ),
  };
}

function inPp({ low, high }: ErrorInterval) {
  return { lowPp: 100 * low, highPp: 100 * high };
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
    const signed = tested.reduce((sum, each) => sum + each.signed, 0) / tested.length;
    return [{ ...first, signed, nested: overTargets(tested.map(({ nested }) => nested)) }];
  });
  const bestOf = new Map(zipBest(inAll).map(([each, best]) => [methodKey(each.method, each.combinationSize), best]));
  return [...groups].flatMap(([key, same]): CellInference[] => {
    const [first] = same;
    const nested = same.flatMap((each) => each.nested ?? []);
    if (first === undefined) return [];
    const error = nested.length < same.length ? null : totalErrorOf(overTargets(nested));
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
  const { set, pValues } = bestMethods(
    tested.map(({ nested }) => nested),
    tested.map(({ signed }) => signed),
  );
  return tested.map((each, i) => [each, { tiedWithBest: set[i] ?? true, bestPValue: pValues[i] ?? 1 }]);
}

/** The standard deviation over the resamples that have an ECE; null below two. */
function totalErrorOf(nested: NestedResamples | null): number | null {
  return nested === null ? null : sampleStandardDeviation(nested.eces.filter((ece) => !Number.isNaN(ece)));
}
