import type { RaggedRows } from '../numeric/ragged-rows.js';
import { zerosBeside } from '../numeric/shared-array.js';
import { predictions } from './answers/predictions.js';
import type { CalibrationMethod } from './calibration-method.js';
import { certainRows } from './certain-rows.js';
import { checkLabels, checkLogits } from './check-logits.js';
import { rowDoubts } from './fit/mean-doubt.js';
import { poolViews, type RowGains } from './fit/pool-views.js';
import { alignWithLabels, alignWithModel, logitGaps, type TeacherAlignment } from './fit/teacher-alignment.js';
import { relativeSupport } from './references/relative-support.js';

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

/** What a fit needs of each example and a teacher. */
export type AlignmentColumns = Omit<TeacherAlignment, 'gaps' | 'teacherLogits'>;

/** What each of a target's N examples brings into every split: numbers alone, which a thread can hand to another. */
export interface PreparedExamples {
  readonly targetPredictions: Int32Array;
  readonly ownBasePredictions: Int32Array;
  /** Rows on which the target's largest logit is tied. */
  readonly targetTies: number;
  /** N flags: 1 in D. */
  readonly disagreement: Uint8Array;
  /** See `certainRows`. */
  readonly certain: Uint8Array | null;
  readonly ownBaseSupport: Float64Array;
  /** Relative supports by every reference, in the order of the input. */
  readonly supports: readonly Float64Array[];
  /** What the references say of the target's gain; null when no method asks for it. */
  readonly gains: RowGains | null;
  /** The target's logits less the largest of their row. */
  readonly gaps: RaggedRows;
  /** The own base as the teacher. */
  readonly teacher: AlignmentColumns;
  /** The labels as the teacher; null when no method needs them or there are none. */
  readonly labels: AlignmentColumns | null;
  /** 1 - the own base's confidence. */
  readonly ownBaseDoubts: Float64Array;
}

/**
 * Predictions, A and D, relative supports (Eq. relsupport) and margins of every example. Throws bad-input for logits
 * that do not match or are not finite, and for a label that is no option.
 */
export function prepareExamples(input: CalibrationInput, methods: readonly CalibrationMethod[]): PreparedExamples {
  const { targetLogits, ownBaseLogits, references } = input;
  const finite = checkLogits([
    { name: 'the target', logits: targetLogits },
    { name: 'its own base', logits: ownBaseLogits },
    ...references.map(({ id, logits }) => ({ name: `reference ${id}`, logits })),
  ]);
  const target = predictions(targetLogits);
  const ownBase = predictions(ownBaseLogits);
  const disagreement = disagreementOf(target.indexes, ownBase.indexes);
  const answers = { targetPredictions: target.indexes, ownBasePredictions: ownBase.indexes, disagreement };
  const support = (logits: RaggedRows) => relativeSupport(logits, target.indexes, disagreement);
  const pool = references.map(({ logits }) => logits);
  const views = methods.some(asksPool) ? poolViews(pool, answers) : { supports: pool.map(support), gains: null };
  const gaps = logitGaps(targetLogits);
  const teacher = columnsOf(alignWithModel(gaps, ownBaseLogits));
  return {
    ...answers,
    targetTies: target.ties,
    certain: finite ? null : certainRows([targetLogits, ownBaseLogits, ...pool]),
    ownBaseSupport: support(ownBaseLogits),
    ...views,
    gaps,
    teacher,
    labels: labelColumns(methods, { gaps, teacher }, input.labels),
    ownBaseDoubts: rowDoubts(ownBaseLogits),
  };
}

/** Whether a method's temperature depends on the gain that the references suggest. */
function asksPool(method: CalibrationMethod): boolean {
  if ('doubt' in method) return method.needs === 'pool';
  return 'prior' in method && method.prior?.needs === 'pool';
}

/** 1 where two models do not predict the same option. */
function disagreementOf(one: Int32Array, other: Int32Array): Uint8Array {
  const flags = zerosBeside(one, Uint8Array, one.length);
  for (let n = 0; n < flags.length; n++) flags[n] = one[n] === other[n] ? 0 : 1;
  return flags;
}

function labelColumns(
  methods: readonly CalibrationMethod[],
  { gaps, teacher }: Pick<PreparedExamples, 'gaps' | 'teacher'>,
  labels: Int32Array | undefined,
): AlignmentColumns | null {
  if (labels === undefined || !methods.some(({ needs }) => needs === 'labels')) return null;
  checkLabels(labels, gaps);
  const { uniformVariances, widths } = teacher;
  return { ...columnsOf(alignWithLabels(gaps, labels)), uniformVariances, widths };
}

function columnsOf({ gaps: _, teacherLogits: __, ...columns }: TeacherAlignment): AlignmentColumns {
  return columns;
}
