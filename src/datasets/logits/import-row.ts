import type { ScoredRow } from '../../contract/scored-row.js';
import type { SeenHashes } from '../../contract/seen-hashes.js';
import type { Fault } from '../../errors/supportcal-error.js';
import { JsonFault, JsonReader } from '../../formats/json/parse-json.js';
import { fieldOf, type RowValue, type SourceRow, scalarText } from '../../formats/row/source-row.js';
import { idText } from '../fields/row-id.js';
import { wholeNumber } from '../labels/read-label.js';
import { MAX_OPTIONS, wrongCount } from '../options/row-options.js';
import type { LogitUnit } from './from-unit.js';
import { fromUnit } from './from-unit.js';
import type { LogitColumns } from './logit-columns.js';

export interface ImportedRow {
  readonly scored: ScoredRow;
  readonly label: number | null;
  /** Rows of one group stay on one side of a split; null: in none. */
  readonly group: string | null;
  /** What the row is of, where a log says it. */
  readonly hashes?: SeenHashes;
  readonly line: number | undefined;
  readonly number: number;
}

export type ImportResult =
  | { readonly kind: 'ok'; readonly row: ImportedRow }
  | { readonly kind: 'wrong'; readonly faults: readonly Fault[] };

/** What is said of all rows of scores. */
export interface RowRules {
  readonly unit: LogitUnit;
  /** Whether the options of a row may sum to more than 1, see `fromUnit`; absent: in no row. */
  readonly overlaps?: ((id: string) => boolean) | undefined;
  /** A row without an id takes its number; absent: it is wrong. */
  readonly numbered?: boolean;
}

/**
 * Reads one row of imported scores; every structural fault of the row is listed. K lists, of K orders, become one row.
 */
export function importRow(
  row: SourceRow,
  columns: LogitColumns,
  { unit, overlaps = () => false, numbered = false }: RowRules,
): ImportResult {
  const faults: Fault[] = [];
  const id = idOf(row, numbered);
  const name = id.kind === 'ok' ? id.id : `${row.number}`;
  if (id.kind === 'wrong') faults.push({ field: 'id', row: name, message: id.message });
  const field = columns.kind === 'rotations' ? 'rotations' : 'logits';
  const values = columns.kind === 'rotations' ? rotatedLists(row) : scoreList(row, columns);
  if (typeof values === 'string') faults.push({ field, row: name, message: values });
  else if (values.length < 2 || field === 'logits') {
    const message = wrongCount(values.length, 'numbers');
    if (message !== null) faults.push({ field, row: name, message });
  } else if (field === 'rotations' && values.length > MAX_OPTIONS ** 2) {
    faults.push({ field, row: name, message: `expected at most ${MAX_OPTIONS} orders of as many numbers` });
  }
  const count = typeof values === 'string' ? 0 : field === 'rotations' ? Math.sqrt(values.length) : values.length;
  const label = labelOf(fieldOf(row.values, 'label') ?? null, count);
  if (typeof label === 'string') faults.push({ field: 'label', row: name, message: label });
  if (faults.length > 0 || typeof values === 'string' || typeof label === 'string') return { kind: 'wrong', faults };
  const scored =
    field === 'rotations'
      ? rotatedRow(name, values, unit, overlaps(name))
      : fromUnit(name, values, unit, overlaps(name));
  if ('fault' in scored) return { kind: 'wrong', faults: [{ field, row: name, message: scored.fault }] };
  return { kind: 'ok', row: { scored, label, group: groupOf(row), line: row.line, number: row.number } };
}

function idOf(row: SourceRow, numbered: boolean): ReturnType<typeof idText> {
  const value = fieldOf(row.values, 'id');
  if (value !== undefined && !(numbered && value === null)) return idText(value);
  return numbered ? { kind: 'ok', id: String(row.number) } : { kind: 'wrong', message: missing('id', row) };
}

function groupOf(row: SourceRow): string | null {
  const value = fieldOf(row.values, 'group');
  const text = value === undefined ? null : scalarText(value);
  return text === undefined || text === null || text === '' ? null : text;
}

/** K lists of K numbers one after the other, or what is wrong with them. */
function rotatedLists(row: SourceRow): number[] | string {
  const value = fieldOf(row.values, 'rotations');
  if (value === undefined) return missing('rotations', row);
  const lists = typeof value === 'string' ? parsedList(value) : value;
  if (!Array.isArray(lists) || !lists.every(Array.isArray)) return 'expected a list of lists of numbers';
  const count = lists.length;
  const wrong = lists.findIndex((list) => list.length !== count);
  const found = `order ${wrong + 1} of ${count} has ${lists[wrong]?.length} scores`;
  if (wrong >= 0) return `${found}; K options have K orders of K scores each`;
  const numbers = (lists.flat() as readonly RowValue[]).map((each) => numberOf(each, false));
  return numbers.includes(undefined) ? 'holds something that is no number' : (numbers as number[]);
}

/** One row of K orders; one that fails fails the row. */
function rotatedRow(
  id: string,
  scores: readonly number[],
  unit: LogitUnit,
  overlapping: boolean,
): ReturnType<typeof fromUnit> {
  const count = Math.sqrt(scores.length);
  const logits: number[] = [];
  let mass = 0;
  let first: number | null = null;
  for (let r = 0; r < count; r++) {
    const scored = fromUnit(id, scores.slice(r * count, (r + 1) * count), unit, overlapping);
    if ('fault' in scored) return { fault: `order ${r + 1}: ${scored.fault}` };
    if (scored.status === 'failed') return { ...scored, reason: `order ${r + 1}: ${scored.reason}` };
    logits.push(...Array.from(scored.logits));
    mass += scored.optionMass;
    first ??= scored.logZ;
  }
  return { status: 'ok', id, logits, logZ: first ?? Number.NaN, optionMass: mass / count, promptTokens: 0 };
}

/** The scores as numbers (NaN for null and for words such as "NaN"), or what is wrong with them. */
function scoreList(row: SourceRow, columns: LogitColumns): number[] | string {
  let list: RowValue | undefined;
  if (columns.kind === 'numbered') {
    const cells = columns.columns.map((column) => fieldOf(row.values, column) ?? null);
    // A table has one width: empty cells at the end are options that this row does not have.
    while (cells.length > 0 && isEmpty(cells.at(-1) ?? null)) cells.pop();
    list = cells.map((cell) => (isEmpty(cell) ? null : cell));
  } else {
    list = fieldOf(row.values, 'logits');
    if (typeof list === 'string') list = parsedList(list);
  }
  if (list === undefined) return missing('logits', row);
  if (!Array.isArray(list)) return 'expected a list of numbers';
  const numbers = (list as readonly RowValue[]).map((value) => numberOf(value, columns.kind === 'numbered'));
  const bad = numbers.indexOf(undefined);
  if (bad < 0) return numbers as number[];
  return `score ${bad + 1} is ${JSON.stringify(scalarText(list[bad] as RowValue) ?? list[bad])}; expected a number`;
}

function isEmpty(cell: RowValue): boolean {
  return cell === null || (typeof cell === 'string' && cell.trim() === '');
}

/** Undefined: no number at all. Digits in text count only where the format knows nothing but text. */
function numberOf(value: RowValue, textAllowed: boolean): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value === null) return Number.NaN;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^[+-]?(nan|inf(inity)?)$/i.test(text))
    return /nan/i.test(text) ? Number.NaN : text.startsWith('-') ? -Infinity : Infinity;
  return textAllowed && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

function parsedList(text: string): RowValue {
  try {
    return new JsonReader(text, { allowNonFinite: true }).readAll();
  } catch (error) {
    if (error instanceof JsonFault) return text;
    throw error;
  }
}

function labelOf(value: RowValue, optionCount: number): number | null | string {
  const text = scalarText(value);
  if (text === null || text?.trim() === '') return null;
  const label = text === undefined ? null : wholeNumber(text);
  if (label === -1) return null;
  if (label === null)
    return `expected a whole number (0-based), found ${JSON.stringify(text ?? 'a list or an object')}`;
  if (optionCount < 2 || (label >= 0 && label < optionCount)) return label;
  return `the label ${label} is out of range; expected 0 to ${optionCount - 1} (0-based)`;
}

function missing(field: string, row: SourceRow): string {
  return `the field "${field}" is missing; found: ${Object.keys(row.values).slice(0, 40).join(', ') || 'nothing'}`;
}
