import { wholeNumber } from './read-label.js';
import { type RowValue, scalarText } from './source-row.js';

export type DetectedBase =
  | { readonly kind: 'known'; readonly base: 0 | 1; readonly why: string }
  | { readonly kind: 'unclear'; readonly message: string };

/**
 * Whether labels count from 0 or from 1, as far as the labels of a file prove it: a label 0 is in no file that counts from
 * 1, and a label equal to its row's number of options is in none that counts from 0. Nothing is guessed beyond that.
 */
export function detectLabelBase(
  rows: ReadonlyArray<{ readonly label: RowValue; readonly options: readonly string[] }>,
  field: string,
): DetectedBase {
  let [zeros, tops, labelled] = [0, 0, 0];
  for (const { label, options } of rows) {
    const value = wholeNumber(scalarText(label) ?? '');
    if (value === null || value === -1) continue;
    labelled++;
    if (value === 0) zeros++;
    if (value === options.length) tops++;
  }
  if (labelled === 0) return { kind: 'known', base: 0, why: 'no row has a label' };
  const found = `${zeros} of ${labelled} labels are 0, ${tops} equal the number of options`;
  if (zeros > 0 && tops === 0) return { kind: 'known', base: 0, why: found };
  if (tops > 0 && zeros === 0) return { kind: 'known', base: 1, why: found };
  const advice = 'write `labelBase: 0` or `labelBase: 1` (what the first option is called)';
  return { kind: 'unclear', message: `the label base of "${field}" cannot be detected: ${found}; ${advice}` };
}
