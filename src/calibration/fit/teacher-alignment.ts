import { SupportCalError } from '../../errors/supportcal-error.js';
import { expOfGap } from '../../numeric/exp-of-gap.js';
import { BLOCK, inBlocks } from '../../numeric/in-blocks.js';
import { longestRow, type RaggedRows, takeRows } from '../../numeric/ragged-rows.js';
import { Scratch } from '../../numeric/scratch.js';
import { zerosBeside } from '../../numeric/shared-array.js';

/**
 * What a temperature fit needs of N examples, computed once. d_n[k] = z_n[k] - max_k z_n[k] (0 or below): all means
 * are of d, since shifting a row's logits changes neither L' nor m_n and the shifted sums cannot overflow or cancel.
 */
export interface TeacherAlignment {
  /** d, in the shape of the target logits. */
  readonly gaps: RaggedRows;
  /** a_n = sum_k p_n[k] d_n[k], 0 or below: the teacher's mean of the shifted logits. */
  readonly teacherMeans: Float64Array;
  /** Boundary margins m_n = sum_k (p_n[k] - 1/K) d_n[k], Eq. (margin); exactly 0 where p_n is uniform. */
  readonly margins: Float64Array;
  /** sum_k |p_n[k] - 1/K| |d_n[k]|: the size against which a margin's rounding error is measured. */
  readonly marginScales: Float64Array;
  /** Variance of d_n under the uniform distribution: the row's share of L'' at beta = 0. */
  readonly uniformVariances: Float64Array;
  /** max_k |d_n[k]|; 0 where all logits of the row are equal. */
  readonly widths: Float64Array;
  /** Logits v of the teacher; null when the teacher is a label or given probabilities. */
  readonly teacherLogits: (() => RaggedRows) | null;
}

/** d_n[k] = z_n[k] - max_k z_n[k] of the target logits: the only copy of them that the fits of Eq. (tempobj) read. */
export function logitGaps(targetLogits: RaggedRows): RaggedRows {
  const { rowCount, offsets, values } = targetLogits;
  const gaps = zerosBeside(values, Float64Array, values.length);
  inBlocks(rowCount, (from, to) => writeGaps(targetLogits, gaps, from, to));
  return { rowCount, offsets, values: gaps };
}

function writeGaps({ offsets, values }: RaggedRows, gaps: Float64Array, from: number, to: number): void {
  for (let n = from; n < to; n++) {
    const start = offsets[n]!;
    const end = offsets[n + 1]!;
    let max = Number.NEGATIVE_INFINITY;
    for (let k = start; k < end; k++) if (values[k]! > max) max = values[k]!;
    for (let k = start; k < end; k++) gaps[k] = values[k]! - max;
  }
}

/** Alignment with a teacher model: p_n = softmax(v_n) of Eq. (tempobj), the own base in every KL method. */
export function alignWithModel(gaps: RaggedRows, teacherLogits: RaggedRows): TeacherAlignment {
  const { values } = teacherLogits;
  return align(
    gaps,
    () => teacherLogits,
    (from, to, p) => {
      const first = gaps.offsets[from]!;
      for (let n = from; n < to; n++) {
        const start = gaps.offsets[n]!;
        const end = gaps.offsets[n + 1]!;
        let max = Number.NEGATIVE_INFINITY;
        for (let k = start; k < end; k++) if (values[k]! > max) max = values[k]!;
        let total = 0;
        for (let k = start; k < end; k++) {
          const mass = expOfGap(values[k]! - max);
          p[k - first] = mass;
          total += mass;
        }
        for (let k = start - first; k < end - first; k++) p[k]! /= total;
      }
    },
  );
}

/** Alignment with given teacher probabilities p_n of Eq. (tempobj), one row per example, each row adding up to 1. */
export function alignWithProbabilities(gaps: RaggedRows, probabilities: RaggedRows): TeacherAlignment {
  return align(gaps, null, (from, to, p) =>
    p.set(probabilities.values.subarray(gaps.offsets[from]!, gaps.offsets[to]!)),
  );
}

/**
 * Alignment with the labels (temperature scaling, Guo et al. 2017): p_n is 1 on the label. Rows of label -1 hold zeros
 * and must not be fitted on.
 */
export function alignWithLabels(gaps: RaggedRows, labels: Int32Array): TeacherAlignment {
  return align(gaps, null, (from, to, p) => {
    const first = gaps.offsets[from]!;
    for (let n = from; n < to; n++) {
      const start = gaps.offsets[n]! - first;
      const end = gaps.offsets[n + 1]! - first;
      const label = labels[n]!;
      p.fill(label === -1 ? 1 / (end - start) : 0, start, end);
      if (label !== -1) p[start + label] = 1;
    }
  });
}

/**
 * The examples with the given indexes, in that order: the sums of Eq. (tempobj) over one split, side by side in memory,
 * in the scratch's arrays.
 *
 * @param same what was taken at the same indexes of an alignment of the same gaps with another teacher: what does not
 *   depend on the teacher is taken from there
 */
export function takeAlignment(
  alignment: TeacherAlignment,
  indexes: Int32Array,
  scratch: Scratch = new Scratch(),
  same?: TeacherAlignment,
): TeacherAlignment {
  const take = (column: 'teacherMeans' | 'margins' | 'marginScales' | 'uniformVariances' | 'widths') =>
    gather(alignment[column], indexes, scratch.float64(column, indexes.length));
  const teacherLogits = alignment.teacherLogits;
  return {
    gaps: same?.gaps ?? takeRows(alignment.gaps, indexes, scratch, 'gaps'),
    teacherMeans: take('teacherMeans'),
    margins: take('margins'),
    marginScales: take('marginScales'),
    uniformVariances: same?.uniformVariances ?? take('uniformVariances'),
    widths: same?.widths ?? take('widths'),
    teacherLogits: teacherLogits === null ? null : () => takeRows(teacherLogits(), indexes),
  };
}

/** Writes the teacher's probabilities of the rows from `from` to `to` - 1, side by side, into the front of `p`. */
type Teacher = (from: number, to: number, p: Float64Array) => void;

function align(gaps: RaggedRows, teacherLogits: (() => RaggedRows) | null, teacher: Teacher): TeacherAlignment {
  const { rowCount } = gaps;
  const column = () => zerosBeside(gaps.values, Float64Array, rowCount);
  const columns = {
    teacherMeans: column(),
    margins: column(),
    marginScales: column(),
    uniformVariances: column(),
    widths: column(),
  };
  const p = new Float64Array(BLOCK * longestRow(gaps));
  inBlocks(rowCount, (from, to) => {
    teacher(from, to, p);
    alignRows(gaps, p, columns, [from, to]);
  });
  return { gaps, ...columns, teacherLogits };
}

function alignRows(
  { offsets, values }: RaggedRows,
  p: Float64Array,
  { teacherMeans, margins, marginScales, uniformVariances, widths }: Omit<TeacherAlignment, 'gaps' | 'teacherLogits'>,
  [from, to]: readonly [number, number],
): void {
  const first = offsets[from]!;
  for (let n = from; n < to; n++) {
    const start = offsets[n]!;
    const count = offsets[n + 1]! - start;
    let mean = 0;
    let margin = 0;
    let scale = 0;
    let width = 0;
    let sum = 0;
    let squares = 0;
    for (let k = 0; k < count; k++) {
      const gap = values[start + k]!;
      const probability = p[start - first + k]!;
      const excess = (probability - 1 / count) * gap;
      mean += probability * gap;
      margin += excess;
      scale += Math.abs(excess);
      if (-gap > width) width = -gap;
      sum += gap;
      squares += gap * gap;
    }
    teacherMeans[n] = mean;
    margins[n] = margin;
    marginScales[n] = scale;
    widths[n] = width;
    uniformVariances[n] = squares / count - (sum / count) ** 2;
  }
}

/**
 * values[indexes[0]], values[indexes[1]], ... as a new array or in the given one: a column of Eq. (tempobj) over one
 * split. (TypedArray.from with a function is ten times slower.)
 */
export function gather(
  values: Float64Array,
  indexes: Int32Array,
  taken: Float64Array = new Float64Array(indexes.length),
): Float64Array {
  for (let i = 0; i < indexes.length; i++) taken[i] = values[indexes[i]!]!;
  return taken;
}

/**
 * The logits v of the teacher, Eq. (ell); an alignment with labels or given probabilities has none, which is an error.
 */
export function teacherLogitsOf({ teacherLogits }: TeacherAlignment): RaggedRows {
  if (teacherLogits !== null) return teacherLogits();
  throw new SupportCalError('internal', { message: 'expected a teacher with logits' });
}
