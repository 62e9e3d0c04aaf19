import type { DatasetOptionsYaml } from '../../config/dataset-schema.js';
import { letteredOptions } from '../lettered-options.js';
import { fieldOf, isRowObject, type RowObject } from '../source-row.js';
import { byName, everyRow, isScalar, type RowSample } from './row-sample.js';

export interface ProposedOptions {
  readonly yaml: DatasetOptionsYaml;
  /** Fields that hold them. */
  readonly fields: readonly string[];
  /** The texts of a row; null where its options cannot be read. */
  of(row: RowObject): readonly string[] | null;
  /** The field says which option is right, too. */
  readonly labelled: boolean;
}

const NAMES = [/^(options?|choices?|candidates?|endings?|answers?|alternatives?)$/i, /^text$/i];
const STEMS = /^(op|opt|options?|choices?|ans|answers?|endings?|candidates?|)[\s_.-]?$/i;

/** Where the options of every row are: a list, lettered text, one column each, or a map to truth; null: nowhere. */
export function proposeOptions(sample: RowSample): ProposedOptions | null {
  return fromList(sample) ?? fromLettered(sample) ?? fromColumns(sample) ?? fromTruth(sample);
}

function fromList(sample: RowSample): ProposedOptions | null {
  const isList = (name: string) =>
    everyRow(
      sample,
      name,
      (value) => Array.isArray(value) && value.length >= 2 && value.every((item) => typeof item === 'string'),
    );
  const { known, others } = byName(sample.names.filter(isList), NAMES);
  // Labels of options (A, B, ...) are a list as well, and no options.
  const field = [...known, ...others].find((name) => !/labels?$|keys?$/i.test(name));
  if (field === undefined) return null;
  const of = (row: RowObject) => fieldOf(row, field) as readonly string[];
  return { yaml: field, fields: [field], of, labelled: false };
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
    const [, stem, end] = /^(.*?)([a-zA-Z]|\d{1,2})$/.exec(name) ?? [];
    if (stem === undefined || !STEMS.test(stem) || !everyRow(sample, name, isScalar)) continue;
    const kind = /\d/.test(end!) ? '1' : end === end!.toLowerCase() ? 'a' : 'A';
    groups.set(`${stem}|${kind}`, [...(groups.get(`${stem}|${kind}`) ?? []), name]);
  }
  const inOrder = [...groups.values()].map(consecutive).filter((names) => names.length >= 2);
  const columns = inOrder.sort((a, b) => b.length - a.length)[0];
  if (columns === undefined) return null;
  const of = (row: RowObject) => columns.map((name) => String(fieldOf(row, name) ?? ''));
  return { yaml: { columns }, fields: columns, of, labelled: false };
}

/** The names whose ends count up from a, A, 0 or 1 without a gap. */
function consecutive(names: readonly string[]): string[] {
  const endOf = (name: string) => {
    const end = /(\d+|[a-zA-Z])$/.exec(name)![1]!;
    return /\d/.test(end) ? Number(end) : end.toLowerCase().charCodeAt(0) - 96;
  };
  const sorted = names.toSorted((a, b) => endOf(a) - endOf(b));
  const first = endOf(sorted[0]!);
  if (first > 1) return [];
  return sorted.filter((name, n) => endOf(name) === first + n);
}

function fromTruth(sample: RowSample): ProposedOptions | null {
  const size = (name: string) =>
    sample.rows.reduce((sum, row) => sum + Object.keys(fieldOf(row, name) as RowObject).length, 0);
  const [field] = sample.names
    .filter((name) =>
      everyRow(sample, name, (value) => {
        const values = isRowObject(value) ? Object.values(value) : [];
        return (
          values.length >= 2 && values.every((each) => each === 0 || each === 1) && values.filter(Boolean).length === 1
        );
      }),
    )
    .sort((a, b) => size(b) - size(a));
  if (field === undefined) return null;
  const of = (row: RowObject) => Object.keys(fieldOf(row, field) as RowObject);
  return { yaml: { truth: field, seed: 1 }, fields: [field], of, labelled: true };
}
