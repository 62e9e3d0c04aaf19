import type { DatasetYaml } from '../../config/dataset-schema.js';
import { fieldOf, type RowObject, type RowValue } from '../../formats/row/source-row.js';
import { trueAnswer } from '../fields/one-answer.js';
import type { ProposedOptions } from './propose-options.js';
import { byName, everyRow, isScalar, type RowSample } from './row-sample.js';

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

/** The field that says which option is right, and how; null where no field does. */
export function proposeLabel(sample: RowSample, options: ProposedOptions): ProposedLabel | null {
  const free = sample.names.filter((name) => !options.fields.includes(name));
  const { known, others } = byName(free, LABEL_NAMES);
  const found = known.flatMap((name) => readingOf(sample, options, name, ['keys', 'index', 'letter', 'text']) ?? []);
  // A text can equal two options of its row; a letter or a number cannot.
  const truth = free.find((name) => saysTruth(sample, options, name));
  if (found.length === 0 && truth !== undefined)
    return { yaml: { field: truth, as: 'truth' }, field: truth, missing: 0, note: null };
  const exact = found.find(({ yaml }) => typeof yaml === 'string' || yaml.as !== 'text') ?? found[0];
  if (exact !== undefined) return exact;
  for (const name of others) {
    const found = readingOf(sample, options, name, ['keys', 'letter', 'text']);
    const note = `field "${name}" is taken for the label by its values only`;
    if (found !== null) return { ...found, note: found.note ?? note };
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

function readingOf(
  sample: RowSample,
  options: ProposedOptions,
  field: string,
  tried: readonly Reading[],
): ProposedLabel | null {
  const pairs: { row: RowObject; value: string; options: readonly string[] }[] = [];
  let missing = 0;
  for (const row of sample.rows) {
    const value = fieldOf(row, field);
    if (!isScalar(value) && value !== undefined) return null;
    if (value === undefined || value === null || ['', '-1'].includes(String(value).trim())) missing++;
    else pairs.push({ row, value: String(value), options: options.of(row) ?? [] });
  }
  if (pairs.length === 0) return null;
  const of = (yaml: LabelYaml, note: string | null = null): ProposedLabel => ({ yaml, field, missing, note });
  for (const reading of tried) {
    if (reading === 'keys') {
      const keys = sample.names.find(
        (name) =>
          !options.fields.includes(name) &&
          pairs.every((pair) => {
            const list = fieldOf(pair.row, name);
            return Array.isArray(list) && list.length === pair.options.length && asTexts(list).includes(pair.value);
          }),
      );
      if (keys !== undefined) return of({ field, keys });
    } else if (reading === 'index') {
      const base = baseOf(pairs);
      if (base !== null) return of({ field, labelBase: base.labelBase }, base.note);
    } else if (reading === 'letter') {
      const isLetter = ({ value, options: texts }: (typeof pairs)[number]) =>
        /^[a-zA-Z]$/.test(value) && value.toLowerCase().charCodeAt(0) - 97 < texts.length;
      if (pairs.every(isLetter)) return of({ field, as: 'letter' });
    } else if (pairs.every(({ value, options: texts }) => texts.includes(value))) return of({ field, as: 'text' });
  }
  return null;
}

function baseOf(pairs: ReadonlyArray<{ value: string; options: readonly string[] }>) {
  if (!pairs.every(({ value, options }) => /^\d+$/.test(value) && Number(value) <= options.length)) return null;
  const zero = pairs.some(({ value }) => Number(value) === 0);
  const last = pairs.some(({ value, options }) => Number(value) === options.length);
  if (zero && last) return null;
  if (zero || last) return { labelBase: zero ? 0 : 1, note: null } as const;
  const note =
    'no label is 0 and none is the number of options: labelBase 0 is a guess, please check it on a row you know';
  return { labelBase: 0, note } as const;
}

function asTexts(list: readonly RowValue[]): string[] {
  return list.map(String);
}
