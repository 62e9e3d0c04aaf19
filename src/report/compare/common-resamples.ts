import { sampleStandardDeviation } from '../../numeric/mean.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';

/** What nested resamples of one cell measured, in percentage points. */
export type CellResamples = NonNullable<Diagnostics['resamples']>[number];

/**
 * Total standard error of a difference of two runs on the same examples: resample by resample both drew the same ones,
 * so that the deviation of the differences over resamples is that of the difference over new data. null where one run
 * kept no resamples, or drew of other examples.
 *
 * @param pairs a cell of each run, one pair for each target that the difference is a mean over
 */
export function commonError(
  pairs: ReadonlyArray<readonly [CellResamples | null, CellResamples | null]>,
): number | null {
  const known = pairs.flatMap(([a, b]) => (a === null || b === null || a.draws !== b.draws ? [] : [{ a, b }]));
  if (known.length === 0 || known.length < pairs.length) return null;
  const count = Math.min(...known.map(({ a, b }) => Math.min(a.ecesPp.length, b.ecesPp.length)));
  const differences = Array.from({ length: count }, (_, r) =>
    known.reduce((sum, { a, b }) => sum + ((b.ecesPp[r] ?? Number.NaN) - (a.ecesPp[r] ?? Number.NaN)), 0),
  ).filter((each) => !Number.isNaN(each));
  const error = sampleStandardDeviation(differences);
  return error === null ? null : error / known.length;
}
