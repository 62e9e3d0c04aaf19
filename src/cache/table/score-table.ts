import type { ArrowColumn, ArrowColumns } from '../../arrow/arrow-column.js';
import type { ModelRow } from '../../contract/scored-row.js';
import { type RaggedRows, raggedRows, takeRows } from '../../numeric/ragged-rows.js';
import {
  joinReplies,
  REPLY_COLUMNS,
  type ReplyColumns,
  repliesOf,
  replyArrowColumns,
  replyColumns,
  sameReplies,
  takeReplies,
} from './reply-columns.js';
import { SEEN_COLUMNS, type SeenColumns, sameSeen, seenArrowColumns, seenOf, takeSeen } from './seen-columns.js';
import { takeItems, takeNumbers } from './take-columns.js';

/** The rows of one entry, column by column; N rows, row n of every column is the same example. */
export interface ScoreTable {
  readonly ids: readonly string[];
  /** 1: scored, 0: failed. */
  readonly status: Uint8Array;
  /** K raw logits in option order; a failed row has none. */
  readonly logits: RaggedRows;
  /** NaN where unknown (imports) or failed. */
  readonly logZ: Float64Array;
  /** In [0, 1]; NaN where unknown (imports) or failed. */
  readonly optionMass: Float64Array;
  readonly promptTokens: Int32Array;
  /** Why a row failed; null for a scored row. */
  readonly reasons: ReadonlyArray<string | null>;
  /** Imports only: 0-based label per row, -1 where the file gave none. null for scored entries. */
  readonly labels: Int32Array | null;
  /** Imports only: group per row, null where the file gave none; absent where no row has one. */
  readonly groups?: ReadonlyArray<string | null>;
  /** Imports of logs only: what the rows are of, to compare models; absent elsewhere. */
  readonly seen?: SeenColumns;
  /** `untold` of each row, 0 where all is known; absent where no row has any. */
  readonly untold?: Int32Array;
  /** What models wrote, in an entry of replies, whose rows have no logits; absent elsewhere. */
  readonly replies?: ReplyColumns;
}

/** Rows as columns. */
export function scoreTable(rows: readonly ModelRow[], labels: Int32Array | null = null): ScoreTable {
  const replies = replyColumns(rows);
  return {
    ids: rows.map((row) => row.id),
    status: Uint8Array.from(rows, (row) => (row.status === 'failed' ? 0 : 1)),
    logits: raggedRows(rows.map((row) => (row.status === 'ok' ? row.logits : []))),
    logZ: Float64Array.from(rows, (row) => (row.status === 'ok' ? row.logZ : Number.NaN)),
    optionMass: Float64Array.from(rows, (row) => (row.status === 'ok' ? row.optionMass : Number.NaN)),
    promptTokens: Int32Array.from(rows, (row) => row.promptTokens),
    reasons: rows.map((row) => (row.status === 'failed' ? wellFormed(row.reason) : null)),
    labels,
    ...untoldOf(Int32Array.from(rows, (row) => (row.status === 'ok' ? (row.untold ?? 0) : 0))),
    ...(replies !== null && { replies }),
  };
}

/** Several tables one after the other. Labels are kept only when every table has them. */
export function joinTables(tables: readonly ScoreTable[]): ScoreTable {
  const ids = tables.flatMap((table) => table.ids);
  const logits = {
    rowCount: ids.length,
    offsets: new Int32Array(ids.length + 1),
    values: joinNumbers(
      tables.map((table) => table.logits.values),
      Float64Array,
    ),
  };
  let [row, first] = [0, 0];
  for (const table of tables) {
    for (let n = 1; n <= table.ids.length; n++) logits.offsets[row + n] = first + table.logits.offsets[n]!;
    row += table.ids.length;
    first = logits.offsets[row]!;
  }
  return {
    ids,
    logits,
    status: joinNumbers(
      tables.map((table) => table.status),
      Uint8Array,
    ),
    logZ: joinNumbers(
      tables.map((table) => table.logZ),
      Float64Array,
    ),
    optionMass: joinNumbers(
      tables.map((table) => table.optionMass),
      Float64Array,
    ),
    promptTokens: joinNumbers(
      tables.map((table) => table.promptTokens),
      Int32Array,
    ),
    reasons: tables.flatMap((table) => table.reasons),
    labels: null,
    ...untoldOf(
      joinNumbers(
        tables.map(({ ids: own, untold }) => untold ?? new Int32Array(own.length)),
        Int32Array,
      ),
    ),
    ...joinReplies(tables),
  };
}

/** The rows at the given indexes, in that order. */
export function takeTableRows(table: ScoreTable, indexes: Int32Array): ScoreTable {
  return {
    ids: takeItems(table.ids, indexes),
    status: takeNumbers(table.status, indexes),
    logits: takeRows(table.logits, indexes),
    logZ: takeNumbers(table.logZ, indexes),
    optionMass: takeNumbers(table.optionMass, indexes),
    promptTokens: takeNumbers(table.promptTokens, indexes),
    reasons: takeItems(table.reasons, indexes),
    labels: table.labels === null ? null : takeNumbers(table.labels, indexes),
    ...(table.groups !== undefined && { groups: takeItems(table.groups, indexes) }),
    ...(table.seen !== undefined && { seen: takeSeen(table.seen, indexes) }),
    ...(table.untold !== undefined && untoldOf(takeNumbers(table.untold, indexes))),
    ...(table.replies !== undefined && { replies: takeReplies(table.replies, indexes) }),
  };
}

/** The columns as stored: what is unknown is null on disk. Scored logits are float32 as llama.cpp gave them. */
export function columnsOf(table: ScoreTable, precision: 'float32' | 'float64'): ArrowColumns {
  const failed = table.status.map((status) => 1 - status);
  const columns: Record<string, ArrowColumn> = {
    id: { type: 'utf8', values: table.ids },
    logits: { type: `list<${precision}>`, rows: table.logits, nulls: failed },
    logZ: { type: 'float64', values: zeroed(table.logZ), nulls: unknowns(table.logZ) },
    optionMass: { type: 'float64', values: zeroed(table.optionMass), nulls: unknowns(table.optionMass) },
    promptTokens: { type: 'int32', values: table.promptTokens },
    status: { type: 'uint8', values: table.status },
    reason: { type: 'utf8', values: table.reasons },
  };
  if (table.labels !== null) {
    const nulls = Uint8Array.from(table.labels, (label) => (label < 0 ? 1 : 0));
    columns.label = { type: 'int32', values: table.labels, nulls };
  }
  if (table.groups !== undefined) columns.group = { type: 'utf8', values: table.groups };
  if (table.untold !== undefined) columns.untold = { type: 'int32', values: table.untold };
  if (table.seen !== undefined) Object.assign(columns, seenArrowColumns(table.seen));
  if (table.replies !== undefined) Object.assign(columns, replyArrowColumns(table.replies));
  return columns;
}

const COLUMNS = new Set('id logits logZ optionMass promptTokens status reason label group untold'.split(' '));

/** Columns read from disk as a table. Throws with a plain reason when a column is missing, inconsistent or unknown. */
export function tableOf(columns: ArrowColumns): ScoreTable {
  // It might say how the others are to be read.
  const known = [COLUMNS, REPLY_COLUMNS, SEEN_COLUMNS];
  const unknown = Object.keys(columns).find((name) => !known.some((names) => names.has(name)));
  if (unknown !== undefined) throw new Error(`its column "${unknown}" is of another version of supportcal`);
  const { id, logits, logZ, optionMass, promptTokens, status, reason, label, group, untold } = columns;
  if (id?.type !== 'utf8' || reason?.type !== 'utf8') throw new Error('its text columns are not as expected');
  if (logits === undefined || !('rows' in logits)) throw new Error('it has no column of logits');
  if (logZ?.type !== 'float64' || optionMass?.type !== 'float64') throw new Error('its logZ or optionMass is missing');
  if (promptTokens?.type !== 'int32' || status?.type !== 'uint8')
    throw new Error('its promptTokens or status is missing');
  if (label !== undefined && label.type !== 'int32') throw new Error('its label column is not as expected');
  if (group !== undefined && group.type !== 'utf8') throw new Error('its group column is not as expected');
  if (untold !== undefined && untold.type !== 'int32') throw new Error('its untold column is not as expected');
  const replies = repliesOf(columns);
  const seen = seenOf(columns);
  return {
    ids: id.values as readonly string[],
    status: status.values,
    logits: logits.rows,
    logZ: withUnknowns(logZ.values, logZ.nulls),
    optionMass: withUnknowns(optionMass.values, optionMass.nulls),
    promptTokens: promptTokens.values,
    reasons: reason.values,
    labels: label === undefined ? null : withNulls(label.values, label.nulls, -1),
    ...(group !== undefined && { groups: group.values }),
    ...(seen !== null && { seen }),
    ...(untold !== undefined && { untold: untold.values }),
    ...(replies !== null && { replies }),
  };
}

/** Whether two tables hold the same rows and numbers; NaN equals NaN, and `a` is compared at the stored precision. */
export function sameTable(a: ScoreTable, b: ScoreTable, precision: 'float32' | 'float64'): boolean {
  const round = precision === 'float32' ? Math.fround : (value: number) => value;
  return (
    sameItems(a.ids, b.ids) &&
    sameItems(a.reasons, b.reasons) &&
    sameNumbers(a.status, b.status) &&
    sameNumbers(a.logits.offsets, b.logits.offsets) &&
    sameNumbers(a.logits.values, b.logits.values, round) &&
    sameNumbers(a.logZ, b.logZ) &&
    sameNumbers(a.optionMass, b.optionMass) &&
    sameNumbers(a.promptTokens, b.promptTokens) &&
    sameNumbers(a.labels ?? [], b.labels ?? []) &&
    sameItems(a.groups ?? [], b.groups ?? []) &&
    sameNumbers(a.untold ?? [], b.untold ?? []) &&
    sameSeen(a.seen, b.seen) &&
    sameReplies(a.replies, b.replies)
  );
}

/** The column, where some row has an option that was not told: other files stay what they were. */
function untoldOf(untold: Int32Array): { untold?: Int32Array } {
  return untold.some((bits) => bits !== 0) ? { untold } : {};
}

function sameItems(a: ReadonlyArray<string | null>, b: ReadonlyArray<string | null>): boolean {
  return a.length === b.length && a.every((item, n) => item === b[n]);
}

function sameNumbers(a: ArrayLike<number>, b: ArrayLike<number>, round = (value: number) => value): boolean {
  if (a.length !== b.length) return false;
  for (let n = 0; n < a.length; n++) if (!Object.is(round(a[n]!), b[n]!)) return false;
  return true;
}

function joinNumbers<T extends Uint8Array | Int32Array | Float64Array>(
  chunks: readonly T[],
  ArrayType: new (length: number) => T,
): T {
  const joined = new ArrayType(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let position = 0;
  for (const chunk of chunks) {
    joined.set(chunk, position);
    position += chunk.length;
  }
  return joined;
}

function unknowns(values: Float64Array): Uint8Array {
  return Uint8Array.from(values, (value) => (Number.isNaN(value) ? 1 : 0));
}

/** 0 under every null, so that the same rows are the same bytes (NaN has many bit patterns). */
function zeroed(values: Float64Array): Float64Array {
  return values.map((value) => (Number.isNaN(value) ? 0 : value));
}

function withUnknowns(values: Float64Array, nulls: Uint8Array | undefined): Float64Array {
  if (nulls !== undefined && !nulls.includes(0)) return allUnknown(values.length);
  return withNulls(values, nulls, Number.NaN);
}

let noneKnown = new Float64Array();

/** One array of NaN for all tables of a length: imports know neither logZ nor option mass. */
function allUnknown(count: number): Float64Array {
  if (noneKnown.length !== count) noneKnown = new Float64Array(count).fill(Number.NaN);
  return noneKnown;
}

/** A copy with `value` where the column has nulls. */
function withNulls<Values extends Float64Array | Int32Array>(
  values: Values,
  nulls: Uint8Array | undefined,
  value: number,
): Values {
  if (nulls === undefined) return values;
  const filled = values.slice() as Values;
  for (let n = 0; n < filled.length; n++) if (nulls[n] === 1) filled[n] = value;
  return filled;
}

/** A lone surrogate has no UTF-8 form: it becomes U+FFFD here rather than on its way to disk. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
