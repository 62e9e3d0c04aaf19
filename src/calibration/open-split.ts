import { SupportCalError } from '../errors/supportcal-error.js';
import { mean } from '../numeric/mean.js';
import { type RaggedRows, rowOf } from '../numeric/ragged-rows.js';
import type { Scratch } from '../numeric/scratch.js';
import type { UnlabelledSplit, WeightingMethod } from './calibration-method.js';
import { alignmentDivergences } from './fit/alignment-divergences.js';
import { fitTemperature } from './fit/fit-temperature.js';
import { type TeacherAlignment, takeAlignment, teacherLogitsOf } from './fit/teacher-alignment.js';
import type { TemperatureOutcome } from './fit/temperature-outcome.js';
import { CALIBRATION_METHODS } from './methods.js';
import { corroboration, logCorroboration } from './references/relative-support.js';
import {
  type ReferenceMean,
  type ReferenceSupport,
  referenceMeans,
  type Selection,
  selectReferences,
} from './references/select-references.js';

type LogSupport = (n: number) => number;

/** What a target has for all its N examples before any split is drawn. */
export interface PreparedTarget {
  readonly disagreement: Uint8Array;
  readonly ownBaseSupport: Float64Array;
  readonly pool: readonly ReferenceSupport[];
  /** ln u_n by a model, the own base or a reference. */
  readonly logSupport: { readonly ownBase: LogSupport; readonly pool: ReadonlyMap<string, LogSupport> };
  /** The own base as the teacher. */
  readonly teacher: TeacherAlignment;
}

/** w_n of every example of a split, 0 or more, and on demand ln w_n, which does not underflow. */
export interface SplitWeights {
  readonly weights: Float64Array;
  readonly logWeights?: (() => Float64Array) | undefined;
}

/** The examples of one calibration split; every list is in the order of the indexes it was opened with. */
export interface CalibrationSplit {
  readonly count: number;
  /** Positions (not indexes) of D in the split, ascending. */
  readonly disagreement: Int32Array;
  /** Target logits less the maximum of their row. */
  readonly gaps: RaggedRows;
  /** The own base as the teacher. */
  readonly alignment: TeacherAlignment;
  /** Boundary margins m_n, Eq. (margin). */
  readonly margins: Float64Array;
  /** sum_k (p_n[k] + 1/K) |d_n[k]|: the size against which the rounding error of each margin is measured. */
  readonly marginSizes: () => Float64Array;
  /** Mean relative support over D of every reference, in id order; null when D is empty. */
  readonly referenceMeans: readonly ReferenceMean[] | null;
  /** S* of Eq. (selector) for an M of 1 up to the size of the pool; null when D is empty. */
  readonly select: (combinationSize: number) => Selection | null;
  /** The weights of a method with the chosen references, null for none. */
  readonly weigh: (method: WeightingMethod, chosen: readonly string[] | null) => SplitWeights;
  /** l_n(beta) of Eq. (ell) with the own base as the teacher, in nats. */
  readonly divergences: (inverseTemperature: number) => Float64Array;
  /** Root of the mean variance of a row of logits: 1 over it is the scale of beta on which softmax(beta z) changes. */
  readonly logitSpread: () => number;
  /** Minimises Eq. (tempobj) with any weights. */
  readonly fit: (given: SplitWeights) => TemperatureOutcome;
}

/**
 * Takes the examples with the given indexes out of a prepared target, into arrays of its own or the scratch's: all that
 * Eq. (selector), Eq. (weights) and Eq. (tempobj) need of one split.
 */
export function openSplit(target: PreparedTarget, indexes: Int32Array, scratch?: Scratch): CalibrationSplit {
  const teacher = takeAlignment(target.teacher, indexes, scratch);
  const disagreement = positionsOf(target.disagreement, indexes);
  const means = referenceMeans(
    target.pool,
    disagreement.map((at) => indexes[at]!),
  );
  return {
    count: indexes.length,
    disagreement,
    gaps: teacher.gaps,
    alignment: teacher,
    margins: teacher.margins,
    marginSizes: () =>
      teacher.teacherMeans.map((mean, n) => Math.abs(mean) + Math.abs(mean - (teacher.margins[n] ?? 0))),
    referenceMeans: means,
    select: (combinationSize) => (means === null ? null : selectReferences(means, combinationSize)),
    weigh: (method, chosen) => weighRows(method, unlabelledSplit(ownArrays(method, target), chosen), indexes),
    divergences: alignmentDivergences(teacher),
    logitSpread: () => Math.sqrt(Math.max(0, mean(teacher.uniformVariances) ?? 0)),
    fit: ({ weights, logWeights }) => fitTemperature(teacher, weights, logWeights),
  };
}

function positionsOf(flags: Uint8Array, indexes: Int32Array): Int32Array {
  const positions = new Int32Array(indexes.length);
  let count = 0;
  for (let at = 0; at < indexes.length; at++) if (flags[indexes[at]!] === 1) positions[count++] = at;
  return positions.slice(0, count);
}

function weighRows(method: WeightingMethod, split: UnlabelledSplit, indexes: Int32Array): SplitWeights {
  const each = (weight: (split: UnlabelledSplit, n: number) => number, lowest: number, what: string) => {
    const weights = new Float64Array(indexes.length);
    for (let at = 0; at < indexes.length; at++) {
      const value = weight(split, indexes[at]!);
      if (typeof value !== 'number' || !(value >= lowest && value < Number.POSITIVE_INFINITY))
        throw strangeWeight(method.name, value, what);
      weights[at] = value;
    }
    return weights;
  };
  const { logWeight } = method;
  // A method of one's own that is made from one of the table may have another weight beside the same `weights`.
  const weights = CALIBRATION_METHODS.includes(method) ? method.weights?.(split, indexes) : undefined;
  return {
    weights: weights ?? each(method.weight, 0, 'a weight of 0 or more'),
    logWeights: logWeight && (() => each(logWeight, Number.NEGATIVE_INFINITY, 'the logarithm of a weight')),
  };
}

/** A method of one's own can give anything. */
function strangeWeight(method: string, value: unknown, what: string): SupportCalError {
  return new SupportCalError('bad-input', {
    field: 'weight',
    message: `the method "${method}" gave ${shown(value)} for an example; expected ${what}, a finite number`,
  });
}

function shown(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value);
}

/** A method of one's own may write to what it is given: the columns beside it must not change. */
function ownArrays(method: WeightingMethod, target: PreparedTarget): PreparedTarget {
  if (CALIBRATION_METHODS.includes(method)) return target;
  return { ...target, disagreement: target.disagreement.slice(), ownBaseSupport: target.ownBaseSupport.slice() };
}

function unlabelledSplit(target: PreparedTarget, chosen: readonly string[] | null): UnlabelledSplit {
  const supports = (chosen ?? []).flatMap((id) => target.pool.find((reference) => reference.id === id)?.support ?? []);
  const logSupports = (chosen ?? []).flatMap((id) => target.logSupport.pool.get(id) ?? []);
  return {
    disagreement: target.disagreement,
    ownBaseSupport: target.ownBaseSupport,
    corroboration: (n) => (chosen === null ? 1 : corroboration(supports, n)),
    logOwnBaseSupport: target.logSupport.ownBase,
    logCorroboration: (n) => (chosen === null ? 0 : logCorroboration(logSupports, n)),
    targetLogits: (n) => rowOf(target.teacher.gaps, n).slice(),
    ownBaseLogits: (n) => rowOf(teacherLogitsOf(target.teacher), n).slice(),
  };
}
