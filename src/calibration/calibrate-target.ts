import { SupportCalError } from '../errors/supportcal-error.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import { Scratch } from '../numeric/scratch.js';
import type { CalibrationMethod } from './calibration-method.js';
import { fittable } from './certain-rows.js';
import { type FittableTarget, fitSplit, type SplitCalibration } from './fit-split.js';
import { CALIBRATION_METHODS } from './methods.js';
import { type CalibrationSplit, openSplit } from './open-split.js';
import { type CalibrationInput, type PreparedExamples, prepareExamples } from './prepare-examples.js';
import { logRelativeSupport } from './references/relative-support.js';
import { checkCombinationSize } from './references/select-references.js';

export type { MethodOutcome, SplitCalibration } from './fit-split.js';
export type { CalibrationInput } from './prepare-examples.js';

export interface TargetCalibration {
  /** What each example brings into every split. */
  readonly examples: PreparedExamples;
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
 *
 * @param prepared what was made of the same input before
 */
export function calibrateTarget(input: CalibrationInput, prepared?: PreparedExamples): TargetCalibration {
  const methods = findMethods(input);
  const examples = prepared ?? prepareExamples(input, methods);
  const target = fittableTarget(input, methods, examples);
  const { targetPredictions, ownBasePredictions, targetTies, disagreement, certain } = examples;
  const named = (names: readonly string[]) => methods.filter(({ name }) => names.includes(name));
  return {
    examples,
    targetPredictions,
    ownBasePredictions,
    targetTies,
    disagreement,
    fit: (indexes, only) =>
      fitSplit(
        only === undefined ? target : { ...target, ...only, methods: named(only.methods) },
        fittable(indexes, certain),
      ),
    open: (indexes) => openSplit(target, fittable(indexes, certain)),
  };
}

function fittableTarget(
  { ownBaseLogits, references, labels, combinationSizes }: CalibrationInput,
  methods: readonly CalibrationMethod[],
  examples: PreparedExamples,
): FittableTarget {
  const { targetPredictions, ownBasePredictions, disagreement, ownBaseSupport, supports, gaps } = examples;
  const logSupport = (logits: RaggedRows) => (n: number) => logRelativeSupport(logits, targetPredictions, n);
  return {
    methods,
    combinationSizes,
    disagreement,
    ownBaseSupport,
    pool: references.map(({ id }, r) => ({ id, support: supports[r] ?? new Float64Array() })),
    logSupport: {
      ownBase: logSupport(ownBaseLogits),
      pool: new Map(references.map(({ id, logits }) => [id, logSupport(logits)])),
    },
    teacher: { ...examples.teacher, gaps, teacherLogits: () => ownBaseLogits },
    answers: {
      targetPredictions,
      ownBasePredictions,
      ownBaseDoubts: examples.ownBaseDoubts,
      gains: examples.gains,
      references: references.map(({ logits }) => logits),
    },
    labelTeacher:
      examples.labels === null || labels === undefined
        ? null
        : { alignment: { ...examples.labels, gaps, teacherLogits: null }, labels },
    scratch: { teacher: new Scratch(), labels: new Scratch() },
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
