import type { DatasetOptionsYaml } from '../../config/dataset-schema.js';
import { listInText } from '../../formats/json/list-in-text.js';
import { fieldOf, isRowObject, type RowObject, type RowValue } from '../../formats/row/source-row.js';
import { letteredOptions, withoutLabels } from '../options/lettered-options.js';
import { byName, everyRow, isScalar, type RowSample } from './row-sample.js';

export interface ProposedOptions {
  readonly yaml: DatasetOptionsYaml;
  /** Fields that hold them. */
  readonly fields: readonly string[];
  /** The texts of a row; null where its options cannot be read. */
  of(row: RowObject): readonly string[] | null;
  /** The field says which option is right, too. */
  readonly labelled: boolean;
  /** Nothing but their form says that these are the options. */
  readonly unsure?: boolean;
}

const NAMES = [/^(options?|choices?|candidates?|endings?|answers?|alternatives?)$/i, /^text$/i];
const STEMS =
  /^(q_|mc_)?(op|opt|options?|choices?|ans|answers?|endings?|candidates?|sols?|solutions?|alternatives?|sentence_quiz|)[\s_.-]?$/i;
const RIGHT = /^(correct|right|best|true|gold)[\s_-]?(answer|option|choice|ending)$/i;
const WRONG = /^(distract[oe]rs?|(incorrect|wrong|false)[\s_-]?(answer|option|choice|ending)s?)[\s_-]?\d{0,2}$/i;

/**
 * Where the options of every row are: a map to truth, the right one beside wrong ones, a list, lettered text, or one
 * column each; null: nowhere.
 */
export function proposeOptions(sample: RowSample): ProposedOptions | null {
  return (
    fromTruth(sample) ??
    fromRight(sample) ??
    fromList(sample, 'known') ??
    fromLettered(sample) ??
    fromColumns(sample) ??
    fromList(sample, 'others')
  );
}

/** A list whose name says that it holds options, or any other one. */
function fromList(sample: RowSample, which: 'known' | 'others'): ProposedOptions | null {
  const listIn = (value: RowValue | undefined) => {
    const list = value === undefined ? null : listOf(value);
    return Array.isArray(list) && list.length >= 2 && list.every((item) => isOption(item, which)) ? list : null;
  };
  const isList = (name: string) => everyRow(sample, name, (value) => listIn(value) !== null);
  const lists = byName(sample.names.filter(isList), NAMES);
  // Labels of options (A, B, ...) are a list as well, and no options.
  const field = lists[which].find((name) => !/labels?$|keys?$/i.test(name));
  if (field === undefined) return null;
  const of = (row: RowObject) => listIn(fieldOf(row, field))?.map(String) ?? null;
  // `["A)21", "B)21.5"]`: the letters are no part of the texts.
  const letteredIn = (row: RowObject) => {
    const texts = of(row);
    return texts?.every((text, k) => /^\s*\(?([a-z])\s*[).]/i.exec(text)?.[1]?.toLowerCase() === letter(k))
      ? texts
      : null;
  };
  const lettered = everyRow(sample, field, (_, row) => letteredIn(row) !== null);
  const unsure = which === 'others';
  if (!lettered) return { yaml: field, fields: [field], of, labelled: false, unsure };
  return {
    yaml: { field, extract: 'lettered' },
    fields: [field],
    of: (row) => {
      const texts = letteredIn(row);
      return texts === null ? null : withoutLabels(texts);
    },
    labelled: false,
  };
}

/** Numbers are options where the name of their list says so. */
function isOption(item: RowValue, which: 'known' | 'others'): boolean {
  return typeof item === 'string' || (which === 'known' && ['number', 'bigint', 'boolean'].includes(typeof item));
}

/** A list, or the one that a text is (a cell of a csv file has no other way to hold one). */
function listOf(value: RowValue): RowValue {
  return typeof value === 'string' ? listInText(value) : value;
}

function letter(k: number): string {
  return String.fromCharCode(97 + k);
}

/** `correct_answer` beside `distractor1`, `distractor2`, ..., or a list of them, or one text with semicolons. */
function fromRight(sample: RowSample): ProposedOptions | null {
  const last = (name: string) => name.slice(name.lastIndexOf('.') + 1);
  const isText = (name: string) =>
    everyRow(sample, name, (value) => typeof value === 'string') &&
    sample.rows.some((row) => String(fieldOf(row, name) ?? '').length > 1);
  const right = sample.names.find((name) => RIGHT.test(last(name)) && isText(name));
  if (right === undefined) return null;
  const isList = (name: string) => everyRow(sample, name, (value) => Array.isArray(value) && value.length >= 1);
  const candidates = sample.names.filter((name) => WRONG.test(last(name)));
  const list = candidates.find(isList);
  const texts = candidates.filter((name) => everyRow(sample, name, isScalar)).sort(byNumber);
  const wrong = list !== undefined ? [list] : texts;
  const [first, ...others] = wrong;
  if (first === undefined) return null;
  const separator = list === undefined && others.length === 0 && /s$/i.test(first) ? ';' : undefined;
  return {
    yaml: { right, wrong: others.length === 0 ? first : wrong, ...(separator && { separator }), seed: 1 },
    fields: [right, ...wrong],
    of: (row) => {
      const values = [right, ...wrong].map((name) => fieldOf(row, name));
      // An empty option may be kept, but none that is the right one.
      if (typeof values[0] !== 'string' || values[0].trim() === '') return null;
      const texts = values.flatMap((value): readonly (RowValue | undefined)[] =>
        Array.isArray(value) ? value : [value],
      );
      return texts.every(isScalar) ? texts.map((text) => String(text ?? '')) : null;
    },
    labelled: true,
  };
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

function fromLettered(sample: RowSample): ProposedOptions | null {
  const parsed = (value: unknown) => {
    const options = typeof value === 'string' ? letteredOptions(value) : null;
    return Array.isArray(options) ? options : null;
  };
  const field = sample.names.find(
    (name) => sample.rows.length > 0 && everyRow(sample, name, (value) => (parsed(value)?.length ?? 0) >= 2),
  );
  if (field === undefined) return null;
  return {
    yaml: { field, extract: 'lettered' },
    fields: [field],
    of: (row) => parsed(fieldOf(row, field)),
    labelled: false,
  };
}

function fromColumns(sample: RowSample): ProposedOptions | null {
  const groups = new Map<string, string[]>();
  for (const name of sample.names) {
    const [, stem, end = ''] = /^(.*?)([a-zA-Z]|\d{1,2})$/.exec(name) ?? [];
    if (stem === undefined || !STEMS.test(stem) || !everyRow(sample, name, isScalar)) continue;
    const kind = /\d/.test(end) ? '1' : end === end.toLowerCase() ? 'a' : 'A';
    groups.set(`${stem}|${kind}`, [...(groups.get(`${stem}|${kind}`) ?? []), name]);
  }
  const inOrder = [...groups.values()].map(consecutive).filter((names) => names.length >= 2);
  const columns = inOrder.sort((a, b) => b.length - a.length)[0];
  if (columns === undefined) return null;
  const of = (row: RowObject) => {
    const values = columns.map((name) => fieldOf(row, name));
    return values.every(isScalar) ? values.map((value) => String(value ?? '')) : null;
  };
  return { yaml: { columns }, fields: columns, of, labelled: false };
}

/** The names whose ends count up from a, A, 0 or 1 without a gap. */
function consecutive(names: readonly string[]): string[] {
  const endOf = (name: string) => {
    const end = /(\d+|[a-zA-Z])$/.exec(name)?.[0] ?? '';
    return /\d/.test(end) ? Number(end) : end.toLowerCase().charCodeAt(0) - 96;
  };
  const sorted = names.toSorted((a, b) => endOf(a) - endOf(b));
  const first = sorted[0] === undefined ? Infinity : endOf(sorted[0]);
  if (first > 1) return [];
  return sorted.filter((name, n) => endOf(name) === first + n);
}

/**
 * `{"Paris": 1, "Rome": 0}`, or the same as two lists: of several such fields the one with most options and one true.
 */
function fromTruth(sample: RowSample): ProposedOptions | null {
  const [field] = sample.names
    .filter((name) => everyRow(sample, name, (_, row) => textsIn(row, name) !== null))
    .sort((a, b) => size(b) - size(a));
  if (field === undefined) return null;
  return { yaml: { truth: field, seed: 1 }, fields: [field], of: (row) => textsIn(row, field), labelled: true };

  function size(name: string): number {
    return sample.rows.reduce((sum, row) => sum + (textsIn(row, name)?.length ?? 0), 0);
  }
}

/** The texts of a map with exactly one true. */
function textsIn(row: RowObject, name: string): readonly string[] | null {
  const found = truthOf(fieldOf(row, name) ?? null);
  return found?.truths.filter(isTrue).length === 1 ? found.texts : null;
}

const isTrue = (truth: RowValue) => truth === 1 || truth === true;

function truthOf(value: RowValue): { readonly texts: readonly string[]; readonly truths: readonly RowValue[] } | null {
  if (!isRowObject(value)) return null;
  const { choices, labels } = value;
  const lists = Array.isArray(choices) && Array.isArray(labels);
  const texts: readonly RowValue[] = lists ? choices : Object.keys(value);
  const truths: readonly RowValue[] = lists ? labels : Object.values(value);
  const sound =
    texts.length >= 2 &&
    texts.length === truths.length &&
    texts.every((text) => typeof text === 'string') &&
    truths.every((truth) => truth === 0 || truth === false || isTrue(truth));
  return sound ? { texts: texts as readonly string[], truths } : null;
}
