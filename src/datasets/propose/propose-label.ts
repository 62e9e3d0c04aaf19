import type { DatasetYaml } from '../../config/dataset-schema.js';
import { fieldOf, type RowObject, type RowValue } from '../../formats/row/source-row.js';
import { trueAnswer } from '../fields/one-answer.js';
import type { ProposedOptions } from './propose-options.js';
import { allBut, byName, EXCEPTION_SHARE, everyRow, isScalar, type RowSample, withExceptions } from './row-sample.js';

type LabelYaml = NonNullable<NonNullable<DatasetYaml['fields']>['label']>;

export interface ProposedLabel {
  readonly yaml: LabelYaml;
  readonly field: string;
  readonly missing: number;
  /** Why the label is doubtful. */
  readonly note: string | null;
}

export const LABEL_NAMES = [
  /^(label|answer_?key|correct([\s_]?(answer|option|choice))?([\s_]?(id|idx|index|key|letter|label|num|number))?|cop|gold([\s_]?label)?|target|ra)$/i,
  /^(q_?ans(wer)?|answer_right_ending|answer([\s_]?(idx|index|id|key|letter|label))?|label[\s_]?(idx|index)?|final_?decision|solution|class|sentiment|category)$/i,
];

/**
 * The field that says which option is right, and how; null where no field does.
 *
 * @param shares of rows that may be read otherwise, tried in their order
 */
export function proposeLabel(
  sample: RowSample,
  options: ProposedOptions,
  shares: readonly number[] = [0, EXCEPTION_SHARE],
): ProposedLabel | null {
  const free = sample.names.filter((name) => !options.fields.includes(name));
  const { known, others } = byName(free, LABEL_NAMES);
  // What all rows say comes before what nearly all say.
  for (const share of shares) {
    const tried: readonly Reading[] = ['keys', 'index', 'letter', 'text'];
    const found = known.flatMap((name) => readingOf(sample, options, name, { tried, share }) ?? []);
    // A text can equal two options of its row; a letter or a number cannot.
    const truth = free.find((name) => saysTruth(withExceptions(sample, share), options, name));
    if (found.length === 0 && truth !== undefined)
      return { yaml: { field: truth, as: 'truth' }, field: truth, missing: 0, note: null };
    const exact = found.find(({ yaml }) => typeof yaml === 'string' || yaml.as !== 'text') ?? found[0];
    if (exact !== undefined) return exact;
  }
  for (const share of shares) {
    for (const name of others) {
      const found = readingOf(sample, options, name, { tried: ['keys', 'letter', 'text'], share });
      const note = `field "${name}" is taken for the label by its values only`;
      if (found !== null) return { ...found, note: found.note ?? note };
    }
  }
  return null;
}

/** Whether a field says of each option of every row whether it is right, and exactly one is. */
function saysTruth(sample: RowSample, options: ProposedOptions, field: string): boolean {
  return everyRow(sample, field, (value, row) => {
    const count = options.of(row)?.length ?? 0;
    const answer = trueAnswer(value, count, 'refuse');
    return Array.isArray(value) && count > 1 && answer.kind === 'one' && answer.value !== null;
  });
}

type Reading = 'keys' | 'index' | 'letter' | 'text';

interface LabelledPair {
  readonly row: RowObject;
  readonly value: string;
  readonly options: readonly string[];
}

/** @param share how many of the labelled rows may be read otherwise */
function readingOf(
  sample: RowSample,
  options: ProposedOptions,
  field: string,
  { tried, share }: { readonly tried: readonly Reading[]; readonly share: number },
): ProposedLabel | null {
  const pairs: LabelledPair[] = [];
  let [missing, wrong] = [0, 0];
  for (const row of sample.rows) {
    const value = fieldOf(row, field);
    if (!isScalar(value) && value !== undefined) wrong++;
    else if (value === undefined || value === null || ['', '-1'].includes(String(value).trim())) missing++;
    else pairs.push({ row, value: String(value), options: options.of(row) ?? [] });
  }
  const exceptions = Math.floor(share * (pairs.length + wrong)) - wrong;
  if (pairs.length === 0 || exceptions < 0) return null;
  const of = (yaml: LabelYaml, note: string | null = null): ProposedLabel => ({ yaml, field, missing, note });
  for (const reading of tried) {
    if (reading === 'keys') {
      const isKey = (keys: string) => (pair: LabelledPair) => {
        const list = fieldOf(pair.row, keys);
        return Array.isArray(list) && list.length === pair.options.length && asTexts(list).includes(pair.value);
      };
      const keys = sample.names.find(
        (name) => !options.fields.includes(name) && allBut(exceptions, pairs, isKey(name)),
      );
      if (keys !== undefined) return of({ field, keys });
    } else if (reading === 'index') {
      const base = baseOf(pairs, exceptions);
      if (base !== null) return of({ field, labelBase: base.labelBase }, base.note);
    } else if (reading === 'letter') {
      const isLetter = ({ value, options: texts }: LabelledPair) =>
        /^[a-zA-Z]$/.test(value) && value.toLowerCase().charCodeAt(0) - 97 < texts.length;
      if (allBut(exceptions, pairs, isLetter)) return of({ field, as: 'letter' });
    } else if (allBut(exceptions, pairs, ({ value, options: texts }) => texts.includes(value)))
      return of({ field, as: 'text' });
  }
  return null;
}

/** From which number labels count, as far as one of the two ends is among them. */
function baseOf(pairs: readonly LabelledPair[], exceptions: number) {
  const isIndex = ({ value, options }: LabelledPair) => /^\d+$/.test(value) && Number(value) <= options.length;
  if (!allBut(exceptions, pairs, isIndex)) return null;
  const indices = pairs.filter(isIndex);
  const zeros = indices.filter(({ value }) => Number(value) === 0).length;
  const lasts = indices.filter(({ value, options }) => Number(value) === options.length).length;
  if (zeros > 0 && lasts > 0) {
    if (Math.min(zeros, lasts) > exceptions || Math.max(zeros, lasts) <= exceptions) return null;
    const note = `${zeros} labels are 0 and ${lasts} equal the number of options: labelBase is what more of them say`;
    return { labelBase: zeros > lasts ? 0 : 1, note } as const;
  }
  if (zeros > 0 || lasts > 0) return { labelBase: zeros > 0 ? 0 : 1, note: null } as const;
  const note =
    'no label is 0 and none is the number of options: labelBase 0 is a guess, please check it on a row you know';
  return { labelBase: 0, note } as const;
}

function asTexts(list: readonly RowValue[]): string[] {
  return list.map(String);
}
