import { SupportCalError } from '../errors/supportcal-error.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import { checkLogits } from './check-logits.js';
import { fitTemperature } from './fit-temperature.js';
import { CALIBRATION_METHODS, type CalibrationMethod, type UnlabelledSplit } from './methods.js';
import { predictions } from './predictions.js';
import { corroboration, relativeSupport } from './relative-support.js';
import {
  checkCombinationSize,
  type ReferenceMean,
  type ReferenceSupport,
  referenceMeans,
  selectReferences,
} from './select-references.js';
import { alignWithLabels, alignWithModel, logitGaps, type TeacherAlignment } from './teacher-alignment.js';
import type { TemperatureOutcome } from './temperature-outcome.js';

/** One target on one data set: N usable examples, the same rows and the same K in every block of logits. */
export interface CalibrationInput {
  readonly targetLogits: RaggedRows;
  readonly ownBaseLogits: RaggedRows;
  /** The candidate pool R, without the own base. */
  readonly references: ReadonlyArray<{ readonly id: string; readonly logits: RaggedRows }>;
  /** N labels, -1 where unlabelled. Read by methods that need labels (oracle-ts) and by nothing else. */
  readonly labels?: Int32Array;
  /** Names from the methods table. */
  readonly methods: readonly string[];
  /** Values of M for methods that use references. */
  readonly combinationSizes: readonly number[];
  /** Default: `CALIBRATION_METHODS`. */
  readonly methodTable?: readonly CalibrationMethod[];
}

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

export interface TargetCalibration {
  /** N predicted options of the target and of its own base. */
  readonly targetPredictions: Int32Array;
  readonly ownBasePredictions: Int32Array;
  /** Rows on which the target's largest logit is tied. */
  readonly targetTies: number;
  /** N flags: 1 in D. */
  readonly disagreement: Uint8Array;
  /** Fits every method on the examples with the given indexes. */
  readonly fit: (calibrationIndexes: Int32Array) => SplitCalibration;
}

/**
 * Prepares one target: predictions, A and D, relative supports (Eq. relsupport), margins. All of it is per example, so
 * that each split only sums and fits. Throws bad-input for logits that do not match or are not finite, an unknown
 * method, or an M that the pool cannot fill.
 */
export function calibrateTarget(input: CalibrationInput): TargetCalibration {
  const methods = findMethods(input);
  checkLogits([
    { name: 'the target', logits: input.targetLogits },
    { name: 'its own base', logits: input.ownBaseLogits },
    ...input.references.map(({ id, logits }) => ({ name: `reference ${id}`, logits })),
  ]);
  const target = predictions(input.targetLogits);
  const ownBase = predictions(input.ownBaseLogits);
  const disagreement = Uint8Array.from(target.indexes, (option, n) => (option === ownBase.indexes[n] ? 0 : 1));
  const support = (logits: RaggedRows) => relativeSupport(logits, target.indexes, disagreement);
  const gaps = logitGaps(input.targetLogits);
  const prepared: Prepared = {
    methods,
    combinationSizes: input.combinationSizes,
    disagreement,
    ownBaseSupport: support(input.ownBaseLogits),
    pool: input.references.map(({ id, logits }) => ({ id, support: support(logits) })),
    teacher: alignWithModel(gaps, input.ownBaseLogits),
    labelled: labelledFit(methods, gaps, input.labels),
  };
  return {
    targetPredictions: target.indexes,
    ownBasePredictions: ownBase.indexes,
    targetTies: target.ties,
    disagreement,
    fit: (indexes) => fitSplit(prepared, indexes),
  };
}

interface Prepared {
  readonly methods: readonly CalibrationMethod[];
  readonly combinationSizes: readonly number[];
  readonly disagreement: Uint8Array;
  readonly ownBaseSupport: Float64Array;
  readonly pool: readonly ReferenceSupport[];
  readonly teacher: TeacherAlignment;
  readonly labelled: (indexes: Int32Array) => TemperatureOutcome;
}

function fitSplit(prepared: Prepared, indexes: Int32Array): SplitCalibration {
  const inD = indexes.filter((n) => prepared.disagreement[n] === 1);
  const means = referenceMeans(prepared.pool, inD);
  const outcomes = prepared.methods.flatMap((method): MethodOutcome[] => {
    const none = { method: method.name, combinationSize: null, selectedReferences: null, disagreementSupport: null };
    if (method.needs === 'nothing') return [{ ...none, outcome: unfitted(method.temperature) }];
    if (method.needs === 'labels') return [{ ...none, outcome: prepared.labelled(indexes) }];
    const fitWith = (chosen: readonly string[] | null) => {
      const split = unlabelledSplit(prepared, chosen);
      return fitTemperature(
        prepared.teacher,
        indexes,
        Float64Array.from(indexes, (n) => method.weight(split, n)),
      );
    };
    if (method.needs === 'own-base') return [{ ...none, outcome: fitWith(null) }];
    return prepared.combinationSizes.map((combinationSize) => {
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

function unlabelledSplit(prepared: Prepared, chosen: readonly string[] | null): UnlabelledSplit {
  const supports = (chosen ?? []).map((id) => prepared.pool.find((reference) => reference.id === id)!.support);
  return {
    disagreement: prepared.disagreement,
    ownBaseSupport: prepared.ownBaseSupport,
    corroboration: (n) => (chosen === null ? 1 : corroboration(supports, n)),
  };
}

function unfitted(temperature: number): TemperatureOutcome {
  const inverseTemperature = 1 / temperature;
  return { kind: 'finite', temperature, inverseTemperature, weightedBoundaryMargin: null, iterations: 0, residual: 0 };
}

/** The labelled fit: unit weight on every labelled example of the split. */
function labelledFit(methods: readonly CalibrationMethod[], gaps: RaggedRows, labels: Int32Array | undefined) {
  const wanted = methods.some(({ needs }) => needs === 'labels');
  const alignment = wanted && labels !== undefined ? alignWithLabels(gaps, labels) : null;
  return (indexes: Int32Array): TemperatureOutcome => {
    const labelled = indexes.filter((n) => labels !== undefined && labels[n] !== -1);
    if (alignment === null || labelled.length === 0) {
      return { kind: 'none', reason: 'no-labels', weightedBoundaryMargin: null };
    }
    return fitTemperature(alignment, labelled, new Float64Array(labelled.length).fill(1));
  };
}

function findMethods(input: CalibrationInput): CalibrationMethod[] {
  const table = input.methodTable ?? CALIBRATION_METHODS;
  const methods = input.methods.map((name) => {
    const method = table.find((entry) => entry.name === name);
    if (method !== undefined) return method;
    const known = table.map((entry) => entry.name).join(', ');
    throw new SupportCalError('bad-input', { field: 'methods', message: `unknown method "${name}"; known: ${known}` });
  });
  if (methods.some(({ needs }) => needs === 'references')) {
    const pool = input.references.map(({ id }) => id);
    for (const size of input.combinationSizes) checkCombinationSize(pool, size);
  }
  return methods;
}
