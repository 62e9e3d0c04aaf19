import { fitTemperature } from './fit-temperature.js';
import type { CalibrationMethod, UnlabelledSplit } from './methods.js';
import { corroboration, logCorroboration } from './relative-support.js';
import { type ReferenceMean, type ReferenceSupport, referenceMeans, selectReferences } from './select-references.js';
import { type TeacherAlignment, takeAlignment } from './teacher-alignment.js';
import type { TemperatureOutcome } from './temperature-outcome.js';

export interface MethodOutcome {
  readonly method: string;
  readonly combinationSize: number | null;
  readonly outcome: TemperatureOutcome;
  /** S*, in id order; null when the method uses none or D is empty. */
  readonly selectedReferences: readonly string[] | null;
  /** DS(S*) of Eq. (ds). */
  readonly disagreementSupport: number | null;
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

type LogSupport = (n: number) => number;

/** What a target has for all its N examples before any split is drawn. */
export interface PreparedTarget {
  readonly methods: readonly CalibrationMethod[];
  readonly combinationSizes: readonly number[];
  readonly disagreement: Uint8Array;
  readonly ownBaseSupport: Float64Array;
  readonly pool: readonly ReferenceSupport[];
  /** ln u_n by a model, the own base or a reference. */
  readonly logSupport: { readonly ownBase: LogSupport; readonly pool: ReadonlyMap<string, LogSupport> };
  /** The own base as the teacher. */
  readonly teacher: TeacherAlignment;
  /** The labels as the teacher; null when no method needs them or there are none. */
  readonly labelTeacher: { readonly alignment: TeacherAlignment; readonly labels: Int32Array } | null;
}

/** Selection, weights and fit of every method on the examples with the given indexes. */
export function fitSplit(target: PreparedTarget, indexes: Int32Array): SplitCalibration {
  const inD = indexes.filter((n) => target.disagreement[n] === 1);
  const means = referenceMeans(target.pool, inD);
  const teacher = takeAlignment(target.teacher, indexes);
  const outcomes = target.methods.flatMap((method): MethodOutcome[] => {
    if (method.needs === 'nothing') return [withoutReferences(method, unfitted(method.temperature))];
    if (method.needs === 'labels') return [withoutReferences(method, fitLabels(target, indexes))];
    const fitWith = (chosen: readonly string[] | null) => {
      const split = unlabelledSplit(target, chosen);
      const weights = Float64Array.from(indexes, (n) => method.weight(split, n));
      const { logWeight } = method;
      return fitTemperature(
        teacher,
        weights,
        logWeight && (() => Float64Array.from(indexes, (n) => logWeight(split, n))),
      );
    };
    if (method.needs === 'own-base') return [withoutReferences(method, fitWith(null))];
    return target.combinationSizes.map((combinationSize) => {
      const selection = means === null ? null : selectReferences(means, combinationSize);
      return {
        method: method.name,
        combinationSize,
        outcome: fitWith(selection?.references ?? null),
        selectedReferences: selection?.references ?? null,
        disagreementSupport: selection?.disagreementSupport ?? null,
      };
    });
  });
  return { calibrationCount: indexes.length, disagreementCount: inD.length, referenceMeans: means, outcomes };
}

function withoutReferences(method: CalibrationMethod, outcome: TemperatureOutcome): MethodOutcome {
  return { method: method.name, combinationSize: null, outcome, selectedReferences: null, disagreementSupport: null };
}

function unlabelledSplit(target: PreparedTarget, chosen: readonly string[] | null): UnlabelledSplit {
  const supports = (chosen ?? []).map((id) => target.pool.find((reference) => reference.id === id)!.support);
  const logSupports = (chosen ?? []).map((id) => target.logSupport.pool.get(id)!);
  return {
    disagreement: target.disagreement,
    ownBaseSupport: target.ownBaseSupport,
    corroboration: (n) => (chosen === null ? 1 : corroboration(supports, n)),
    logOwnBaseSupport: target.logSupport.ownBase,
    logCorroboration: (n) => (chosen === null ? 0 : logCorroboration(logSupports, n)),
  };
}

function unfitted(temperature: number): TemperatureOutcome {
  const inverseTemperature = 1 / temperature;
  return { kind: 'finite', temperature, inverseTemperature, weightedBoundaryMargin: null, iterations: 0, residual: 0 };
}

/** The labelled fit: unit weight on every labelled example of the split. */
function fitLabels({ labelTeacher }: PreparedTarget, indexes: Int32Array): TemperatureOutcome {
  const labelled = indexes.filter((n) => labelTeacher !== null && labelTeacher.labels[n] !== -1);
  if (labelTeacher === null || labelled.length === 0) {
    return { kind: 'none', reason: 'no-labels', weightedBoundaryMargin: null };
  }
  return fitTemperature(takeAlignment(labelTeacher.alignment, labelled), new Float64Array(labelled.length).fill(1));
}
