import { type RowValue, scalarText } from '../../formats/row/source-row.js';
import type { LabelKind, LabelMapping } from '../fields/field-mapping.js';
import type { LabelPosition } from '../options/option-labels.js';
import { equalOptions, wholeNumber } from './read-label.js';

export interface LabelledRow {
  readonly label: RowValue;
  readonly options: readonly string[];
}

/** What a single value can be. */
type WrittenKind = Exclude<LabelKind, 'truth'>;

export type InferredKind =
  | { readonly kind: 'known'; readonly as: WrittenKind }
  | { readonly kind: 'unclear'; readonly message: string };

/**
 * What the labels of a file are, when the YAML does not say: a kind is taken only if every labelled row has its form
 * and no other kind reads the file differently. An index is never guessed, because its base cannot be seen.
 */
export function inferLabelKind(
  rows: readonly LabelledRow[],
  mapping: LabelMapping,
  positionOf: LabelPosition,
): InferredKind {
  const forms = { index: 0, letter: 0, text: 0 };
  let labelled = 0;
  let [low, high] = [Infinity, -Infinity];
  const inBase = [true, true];
  let sameReading = true;
  for (const { label, options } of rows) {
    const text = scalarText(label);
    if (text === null || text === undefined || text.trim() === '' || wholeNumber(text) === -1) continue;
    labelled++;
    const whole = wholeNumber(text);
    const equal = equalOptions(text, options);
    const position = positionOf(text);
    if (whole !== null) {
      forms.index++;
      [low, high] = [Math.min(low, whole), Math.max(high, whole)];
      if (whole < 0 || whole >= options.length) inBase[0] = false;
      if (whole < 1 || whole > options.length) inBase[1] = false;
    }
    if (position >= 0) forms.letter++;
    if (equal.length === 1) forms.text++;
    if (equal.length !== 1 || equal[0] !== position) sameReading = false;
  }
  if (labelled === 0) return { kind: 'known', as: 'text' };
  if (mapping.labelBase !== undefined && forms.index > 0) return { kind: 'known', as: 'index' };
  // Numbers that are options, and positions in neither base, are text.
  const noIndex = forms.text === labelled && !inBase.includes(true);
  const kinds = ['index', 'letter', 'text'] as const;
  const fits = kinds.filter((kind) => forms[kind] === labelled && !(kind === 'index' && noIndex));
  const [only, ...others] = fits;
  if (only !== undefined && others.length === 0 && only !== 'index') return { kind: 'known', as: only };
  if (fits.length === 2 && !fits.includes('index') && sameReading) return { kind: 'known', as: 'letter' };
  const leader = forms.letter > forms.text ? 'letter' : 'text';
  // Nothing fits all rows: read them as what most are, and each of the others becomes a fault with its line.
  if (fits.length === 0 && forms[leader] > labelled / 2 && forms.letter !== forms.text)
    return { kind: 'known', as: leader };
  return { kind: 'unclear', message: advice(mapping.field, fits, { forms, labelled, range: `${low} to ${high}` }) };
}

/** What was counted of the labels of a file. */
interface LabelCounts {
  /** How many labels look like each kind. */
  readonly forms: Readonly<Record<WrittenKind, number>>;
  readonly labelled: number;
  /** The least and the greatest index, `0 to 3`. */
  readonly range: string;
}

function advice(field: string, fits: readonly WrittenKind[], { forms, labelled, range }: LabelCounts): string {
  const index = '`labelBase: 0` or `labelBase: 1` (what the first option is called)';
  if (fits.length === 1) return `the labels in "${field}" are whole numbers, ${range}; write ${index}`;
  const write = `write \`label: {field: ${field}, as: letter}\`, \`as: text\`, or \`as: index\` with ${index}`;
  if (fits.length > 1)
    return `the labels in "${field}" can be read as ${fits.join(' and as ')}, with different results; ${write}`;
  const counts = `${forms.index} look like an index, ${forms.letter} like a letter, ${forms.text} equal one option`;
  return `the labels in "${field}" have no single form (of ${labelled}: ${counts}); ${write}`;
}
