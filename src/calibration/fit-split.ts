import { labelledOf } from '../numeric/labelled-of.js';
import { takeRows } from '../numeric/ragged-rows.js';
import type { Scratch } from '../numeric/scratch.js';
import type { CalibrationMethod } from './calibration-method.js';
import type { TargetAnswers } from './fit/expected-gain.js';
import { fitTemperature } from './fit/fit-temperature.js';
import { shrunkTemperature } from './fit/shrunk-temperature.js';
import { type TeacherAlignment, takeAlignment } from './fit/teacher-alignment.js';
import type { TemperatureOutcome } from './fit/temperature-outcome.js';
import { matchAccuracy } from './match-accuracy.js';
import { type CalibrationSplit, openSplit, type PreparedTarget } from './open-split.js';
import type { ReferenceMean } from './references/select-references.js';

export interface MethodOutcome {
  readonly method: string;
  readonly combinationSize: number | null;
  readonly outcome: TemperatureOutcome;
  /** S*, in id order; null when the method uses none or D is empty. */
  readonly selectedReferences: readonly string[] | null;
  /** DS(S*) of Eq. (ds). */
  readonly disagreementSupport: number | null;
  /** The accuracy that the mean confidence was set to; null for a method that estimates none. */
  readonly estimatedAccuracy: number | null;
}

export interface SplitCalibration {
  readonly calibrationCount: number;
  /** |D| on the calibration split. */
  readonly disagreementCount: number;
  /** Mean relative support over D of every reference, in id order; null when D is empty. */
  readonly referenceMeans: readonly ReferenceMean[] | null;
  /** In the order of the methods asked for; one per M for methods that use references. */
  readonly outcomes: readonly MethodOutcome[];
}

/** A prepared target with the methods to fit. */
export interface FittableTarget extends PreparedTarget {
  readonly methods: readonly CalibrationMethod[];
  readonly combinationSizes: readonly number[];
  /** Logits and answers, for methods that estimate the target's accuracy. */
  readonly answers: TargetAnswers;
  /** The labels as the teacher; null when no method needs them or there are none. */
  readonly labelTeacher: { readonly alignment: TeacherAlignment; readonly labels: Int32Array } | null;
  /** What fits of one split after the other put their rows in: those of the teacher, and those of the labels. */
  readonly scratch: { readonly teacher: Scratch; readonly labels: Scratch };
}

/**
 * Selection, Eq. (selector), weights, Eq. (weights), and fit, Eq. (tempobj), of every method on the examples with the
 * given indexes.
 */
export function fitSplit(target: FittableTarget, indexes: Int32Array): SplitCalibration {
  const split = openSplit(target, indexes, target.scratch.teacher);
  return {
    calibrationCount: split.count,
    disagreementCount: split.disagreement.length,
    referenceMeans: split.referenceMeans,
    outcomes: target.methods.flatMap((method) => fitMethod(method, target, split, indexes)),
  };
}

function fitMethod(
  method: CalibrationMethod,
  target: FittableTarget,
  split: CalibrationSplit,
  indexes: Int32Array,
): MethodOutcome[] {
  if (method.needs === 'nothing') return [withoutReferences(method, unfitted(method.temperature))];
  if (method.needs === 'labels') {
    const { prior } = method;
    if (prior === undefined) return [withoutReferences(method, fitLabels(target, split, indexes))];
    const { outcome, estimatedAccuracy } = matchAccuracy(prior, target.answers, split.gaps, indexes);
    return [{ ...withoutReferences(method, moveToLabels(outcome, target, split, indexes)), estimatedAccuracy }];
  }
  if ('doubt' in method) {
    const { outcome, estimatedAccuracy } = matchAccuracy(method, target.answers, split.gaps, indexes);
    return [{ ...withoutReferences(method, outcome), estimatedAccuracy }];
  }
  if (method.needs === 'own-base') return [withoutReferences(method, split.fit(split.weigh(method, null)))];
  return target.combinationSizes.map((combinationSize) => {
    const selection = split.select(combinationSize);
    return {
      method: method.name,
      combinationSize,
      outcome: split.fit(split.weigh(method, selection?.references ?? null)),
      selectedReferences: selection?.references ?? null,
      disagreementSupport: selection?.disagreementSupport ?? null,
      estimatedAccuracy: null,
    };
  });
}

function withoutReferences(method: CalibrationMethod, outcome: TemperatureOutcome): MethodOutcome {
  return {
    method: method.name,
    combinationSize: null,
    outcome,
    selectedReferences: null,
    disagreementSupport: null,
    estimatedAccuracy: null,
  };
}

function unfitted(temperature: number): TemperatureOutcome {
  const inverseTemperature = 1 / temperature;
  return { kind: 'finite', temperature, inverseTemperature, weightedBoundaryMargin: null, iterations: 0, residual: 0 };
}

/** The posterior mean of ln tau around the prior's temperature; without labels that temperature itself. */
function moveToLabels(
  prior: TemperatureOutcome,
  target: FittableTarget,
  split: CalibrationSplit,
  indexes: Int32Array,
): TemperatureOutcome {
  const { labelTeacher } = target;
  const labelled = labelTeacher === null ? indexes.subarray(0, 0) : labelledOf(indexes, labelTeacher.labels);
  if (labelTeacher === null || labelled.length === 0) return prior;
  if (prior.kind !== 'finite') return fitLabels(target, split, indexes);
  const labels = labelled.map((n) => labelTeacher.labels[n] ?? 0);
  return unfitted(shrunkTemperature(takeRows(labelTeacher.alignment.gaps, labelled), labels, prior.temperature));
}

/** The labelled fit: unit weight on every labelled example of the split. */
function fitLabels(
  { labelTeacher, scratch }: FittableTarget,
  split: CalibrationSplit,
  indexes: Int32Array,
): TemperatureOutcome {
  const labelled = labelTeacher === null ? indexes.subarray(0, 0) : labelledOf(indexes, labelTeacher.labels);
  if (labelTeacher === null || labelled.length === 0) {
    return { kind: 'none', reason: 'no-labels', weightedBoundaryMargin: null };
  }
  const same = labelled.length === indexes.length ? split.alignment : undefined;
  const alignment = takeAlignment(labelTeacher.alignment, labelled, scratch.labels, same);
  return fitTemperature(alignment, new Float64Array(labelled.length).fill(1));
}
