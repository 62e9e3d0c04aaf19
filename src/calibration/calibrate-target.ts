import { SupportCalError } from '../errors/supportcal-error.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import { Scratch } from '../numeric/scratch.js';
import { predictions } from './answers/predictions.js';
import type { CalibrationMethod } from './calibration-method.js';
import { certainRows, fittable } from './certain-rows.js';
import { checkLabels, checkLogits } from './check-logits.js';
import { rowDoubts } from './fit/mean-doubt.js';
import { alignWithLabels, alignWithModel, logitGaps } from './fit/teacher-alignment.js';
import { fitSplit, type SplitCalibration } from './fit-split.js';
import { CALIBRATION_METHODS } from './methods.js';
import { type CalibrationSplit, openSplit } from './open-split.js';
import { logRelativeSupport, relativeSupport } from './references/relative-support.js';
import { checkCombinationSize } from './references/select-references.js';

export type { MethodOutcome, SplitCalibration } from './fit-split.js';

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

export interface TargetCalibration {
  /** N predicted options of the target and of its own base. */
  readonly targetPredictions: Int32Array;
  readonly ownBasePredictions: Int32Array;
  /** Rows on which the target's largest logit is tied. */
  readonly targetTies: number;
  /** N flags: 1 in D. */
  readonly disagreement: Uint8Array;
  /**
   * Fits every method and M, or those named, on the examples with the given indexes, less those of `certainRows`: every
   * method is fitted on the same examples.
   */
  readonly fit: (
    calibrationIndexes: Int32Array,
    only?: { readonly methods: readonly string[]; readonly combinationSizes: readonly number[] },
  ) => SplitCalibration;
  /**
   * Opens the examples with the given indexes for weights of one's own: margins, selection, and the fit of any weights.
   */
  readonly open: (calibrationIndexes: Int32Array) => CalibrationSplit;
}

/**
 * Prepares one target: predictions, A and D, relative supports (Eq. relsupport), margins. All of it is per example, so
 * that each split only sums and fits. Throws bad-input for logits that do not match or are not finite, a label that is
 * no option, an unknown method, or an M that the pool cannot fill.
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
  const disagreement = disagreementOf(target.indexes, ownBase.indexes);
  const support = (logits: RaggedRows) => relativeSupport(logits, target.indexes, disagreement);
  const logSupport = (logits: RaggedRows) => (n: number) => logRelativeSupport(logits, target.indexes, n);
  const gaps = logitGaps(input.targetLogits);
  let doubts: Float64Array | undefined;
  const prepared = {
    methods,
    combinationSizes: input.combinationSizes,
    disagreement,
    ownBaseSupport: support(input.ownBaseLogits),
    pool: input.references.map(({ id, logits }) => ({ id, support: support(logits) })),
    logSupport: {
      ownBase: logSupport(input.ownBaseLogits),
      pool: new Map(input.references.map(({ id, logits }) => [id, logSupport(logits)])),
    },
    teacher: alignWithModel(gaps, input.ownBaseLogits),
    answers: {
      targetPredictions: target.indexes,
      ownBasePredictions: ownBase.indexes,
      ownBaseDoubts: () => {
        doubts ??= rowDoubts(input.ownBaseLogits);
        return doubts;
      },
      references: input.references.map(({ logits }) => logits),
    },
    labelTeacher: labelTeacher(methods, gaps, input.labels),
    scratch: { teacher: new Scratch(), labels: new Scratch() },
  };
  const certain = certainRows([
    input.targetLogits,
    input.ownBaseLogits,
    ...input.references.map(({ logits }) => logits),
  ]);
  const named = (names: readonly string[]) => methods.filter(({ name }) => names.includes(name));
  return {
    targetPredictions: target.indexes,
    ownBasePredictions: ownBase.indexes,
    targetTies: target.ties,
    disagreement,
    fit: (indexes, only) =>
      fitSplit(
        only === undefined ? prepared : { ...prepared, ...only, methods: named(only.methods) },
        fittable(indexes, certain),
      ),
    open: (indexes) => openSplit(prepared, fittable(indexes, certain)),
  };
}

/** 1 where two models do not predict the same option. */
function disagreementOf(one: Int32Array, other: Int32Array): Uint8Array {
  const flags = new Uint8Array(one.length);
  for (let n = 0; n < flags.length; n++) flags[n] = one[n] === other[n] ? 0 : 1;
  return flags;
}

function labelTeacher(methods: readonly CalibrationMethod[], gaps: RaggedRows, labels: Int32Array | undefined) {
  if (labels === undefined || !methods.some(({ needs }) => needs === 'labels')) return null;
  checkLabels(labels, gaps);
  return { alignment: alignWithLabels(gaps, labels), labels };
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
