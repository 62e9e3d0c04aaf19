import { fittable } from '../../calibration/certain-rows.js';
import type { SuitePlan, TargetPlan } from '../../config/plan-suite.js';
import { eceRange } from '../../inference/missing/ece-range.js';
import { type FittedRow, temperatureRange } from '../../inference/missing/temperature-range.js';
import { optionsOfBits, type UntoldRow } from '../../inference/missing/untold-row.js';
import { argmaxOfRow } from '../../numeric/argmax.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import type { RunResult } from '../../results/run-schema.js';
import type { Untold } from '../../results/untold-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { RowSplit } from './combination-rows.js';

/** A target whose own scores, or those of its own base, have untold options. */
export interface UntoldTarget {
  readonly plan: Pick<TargetPlan, 'target' | 'ownBase'>;
  readonly aligned: AlignedTarget;
  readonly splits: readonly RowSplit[];
}

interface SeedRange {
  /** Ends of the inverse temperature. */
  readonly beta: { readonly low: number; readonly high: number; readonly exact: boolean };
  readonly ece: { readonly low: number; readonly high: number } | null;
}

/** One entry for each method of the runs; none where every option was told. */
export function untoldRanges(given: UntoldTarget, runs: readonly RunResult[], binning: SuitePlan['binning']): Untold[] {
  const { aligned, plan, splits } = given;
  if (aligned.untold === undefined) return [];
  const rows = rowsOf(given, aligned.untold);
  const examples = aligned.labels.length;
  const { target: own, ownBase } = aligned.untold;
  const untold = own.reduce((sum, bits, n) => sum + (bits !== 0 || ownBase[n] !== 0 ? 1 : 0), 0);
  const found = new Map<string, Untold>();
  for (const { dataset, method, combinationSize } of runs) {
    const name = `${method} ${combinationSize}`;
    if (found.has(name)) continue;
    const seeds = splits.map((split) => rows.measured(method, split, binning));
    const whole = seeds.filter((each) => each !== null);
    const range = whole.length === 0 || whole.length < seeds.length ? null : meanRange(whole);
    found.set(name, { dataset, target: plan.target.id, method, combinationSize, untold, examples, range });
  }
  return [...found.values()];
}

function rowsOf({ plan, aligned }: UntoldTarget, untold: NonNullable<AlignedTarget['untold']>) {
  const { targetLogits, ownBaseLogits, labels, certain } = aligned;
  const [floor, baseFloor] = [floorOf(plan.target), floorOf(plan.ownBase)];
  const target = (n: number): UntoldRow => ({
    logits: rowOf(targetLogits, n),
    untold: optionsOfBits(untold.target[n] ?? 0),
    floor,
  });
  const base = (n: number): UntoldRow => ({
    logits: rowOf(ownBaseLogits, n),
    untold: optionsOfBits(untold.ownBase[n] ?? 0),
    floor: baseFloor,
  });
  const prediction = (n: number) => argmaxOfRow(targetLogits, n);
  const agrees = (n: number) => prediction(n) === argmaxOfRow(ownBaseLogits, n);
  const fitted: Readonly<Record<string, (n: number) => FittedRow>> = {
    daca: (n) => ({ target: target(n), teacher: base(n), weight: agrees(n) ? 1 : 0 }),
    'full-kl': (n) => ({ target: target(n), teacher: base(n), weight: 1 }),
    'oracle-ts': (n) => ({
      target: target(n),
      teacher: rightOption(labels[n] ?? -1, rowOf(targetLogits, n).length),
      weight: labels[n] === -1 ? 0 : 1,
    }),
  };
  const measured = (method: string, split: RowSplit, binning: SuitePlan['binning']): SeedRange | null => {
    const fit = fitted[method];
    if (fit === undefined && method !== 'vanilla') return null;
    const calibration = Array.from(fittable(split.calibration, certain));
    const beta = fit === undefined ? { low: 1, high: 1, exact: true } : temperatureRange(calibration.map(fit));
    const labelled = Array.from(split.evaluation).filter((n) => labels[n] !== -1);
    const evaluated = labelled.map((n) => ({ target: target(n), correct: prediction(n) === labels[n] }));
    return { beta, ece: eceRange(evaluated, beta, binning) };
  };
  return { measured };
}

/** All mass on the right option: Eq. (tempobj) is then the likelihood of the labels. */
function rightOption(label: number, options: number): UntoldRow {
  const logits = new Float64Array(options).fill(Number.NEGATIVE_INFINITY);
  if (label !== -1) logits[label] = 0;
  return { logits, untold: [], floor: Number.NEGATIVE_INFINITY };
}

function floorOf({ endpoint }: TargetPlan['target']): number {
  return endpoint?.missingFloor === undefined ? Number.NEGATIVE_INFINITY : Math.log(endpoint.missingFloor);
}

/** Between what the means over the seeds lie. */
function meanRange(seeds: readonly SeedRange[]): NonNullable<Untold['range']> {
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const high = mean(seeds.map(({ beta }) => 1 / beta.low));
  const measured = seeds.flatMap(({ ece }) => ece ?? []);
  return {
    temperatureLow: mean(seeds.map(({ beta }) => 1 / beta.high)),
    temperatureHigh: Number.isFinite(high) ? high : null,
    exact: seeds.every(({ beta }) => beta.exact),
    ece:
      measured.length < seeds.length
        ? null
        : { lowPp: 100 * mean(measured.map(({ low }) => low)), highPp: 100 * mean(measured.map((each) => each.high)) },
  };
}
