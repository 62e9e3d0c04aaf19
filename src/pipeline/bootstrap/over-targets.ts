import type { SignedErrors } from '../../inference/signed-errors.js';

/**
 * The signed errors of the mean over targets of one method, on new examples and these targets: resample r of every
 * target draws the same examples. Each target counts with its own sign, as its ECE does.
 */
export function overTargets(errors: readonly SignedErrors[]): SignedErrors {
  const [first] = errors;
  if (first === undefined) throw new Error('no target to average over');
  if (errors.length === 1) return first;
  const meanOf = (of: (each: SignedErrors) => number) =>
    errors.reduce((sum, each) => sum + of(each), 0) / errors.length;
  return {
    binwise: meanOf(({ binwise }) => binwise),
    overall: meanOf(({ overall }) => overall),
    binwiseDraws: meanColumn(errors.map(({ binwiseDraws }) => binwiseDraws)),
    overallDraws: meanColumn(errors.map(({ overallDraws }) => overallDraws)),
  };
}

/** Mean of columns, row by row; NaN where one has no value. */
export function meanColumn(columns: readonly Float64Array[]): Float64Array {
  return Float64Array.from(
    columns[0] ?? [],
    (_, r) => columns.reduce((sum, column) => sum + (column[r] ?? Number.NaN), 0) / columns.length,
  );
}
