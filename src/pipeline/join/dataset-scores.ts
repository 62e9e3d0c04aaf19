import type { ScoreTable } from '../../cache/table/score-table.js';
import type { Dataset } from '../../datasets/example/example.js';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import { inBlocks } from '../../numeric/in-blocks.js';
import { areUsableLogits, isMeasurableRow, LARGEST_LOGIT } from '../../numeric/logit-limits.js';
import { type RaggedRows, rowOf, sameShape } from '../../numeric/ragged-rows.js';
import { zerosBeside } from '../../numeric/shared-array.js';
import { stringOrder } from '../../numeric/string-order.js';
import { importedCopies } from './imported-copies.js';
import { joinGroups } from './join-groups.js';

/** One model's scores on a data set, joined to the data set's examples by id. */
export interface ModelScores {
  readonly model: string;
  readonly table: ScoreTable;
  /** Example index -> row of the table; -1 where the model has no usable logits for the example. */
  readonly rowOfExample: Int32Array;
  /** Option logits by example, in the order in which they are read again and again; no logits where none are usable. */
  readonly logits: RaggedRows;
  /** Whether every logit of the table is finite, so that no row is one of `certainRows`. */
  readonly finite: boolean;
  /** Examples without usable logits, with the reason. */
  readonly failures: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
}

/** All that calibration needs of one data set: examples in id order and every model's logits for them. */
export interface DatasetScores {
  readonly dataset: string;
  readonly ids: readonly string[];
  /** 0-based label per example; -1 unlabelled. */
  readonly labels: Int32Array;
  /** Equal for copies of one another and for examples of one group, which stay together; null when no two rows are. */
  readonly contentHashes: readonly string[] | null;
  /** What is said of copies among imported rows. */
  readonly warnings?: readonly string[];
  readonly models: ReadonlyMap<string, ModelScores>;
}

/**
 * Joins score tables with a data set by example id, never by position. `dataset` null: the examples are the imported
 * ids with their labels. Refuses tables whose number of options K differs for an example.
 */
export function joinScores(
  id: string,
  dataset: Dataset | null,
  tables: ReadonlyMap<string, ScoreTable>,
): DatasetScores {
  const examples = dataset ? examplesOf(dataset) : importedExamples(id, tables);
  const exampleOfRows = examples.locate ?? rowLocator(examples.ids);
  const faults: Fault[] = [];
  const models = new Map<string, ModelScores>();
  const inverses = new Map<Int32Array, Int32Array>();
  let before: OrderedRows | undefined;
  for (const [model, table] of tables) {
    const usable = usableRows(examples.ids, table, exampleOfRows(table.ids), inverses);
    const ordered = inExampleOrder(table.logits, usable.rowOfExample, before);
    const { logits } = ordered;
    // Offsets that are those of the model before were found in order with it.
    if (before?.logits.offsets !== logits.offsets || faults.length > 0)
      faults.push(...countFaults(id, { model, logits }, examples));
    before = ordered;
    models.set(model, { model, table, logits, ...usable });
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults.slice(0, 50));
  const { ids, labels } = examples;
  if (dataset !== null)
    return { dataset: id, ids, labels, contentHashes: examples.contentHashes, models, warnings: [] };
  const copies = importedCopies([...models.values()].map(({ logits }) => logits));
  const firstIds = copies && Array.from(copies, (first) => ids[first] ?? '');
  const contentHashes = joinGroups(firstIds, importedGroups(id, examples, tables));
  return { dataset: id, ids, labels, contentHashes, models, warnings: copyWarnings(examples, copies) };
}

/**
 * What is said of imported rows that are copies of one another, and of labels among them that contradict each other.
 */
function copyWarnings({ ids, labels }: Examples, copies: Int32Array | null): string[] {
  const pairs = Array.from(copies ?? [], (first, n) => ({ n, first })).filter(({ n, first }) => n !== first);
  if (pairs.length === 0) return [];
  const other = pairs.filter(({ n, first }) => labels[n] !== labels[first] && labels[n] !== -1 && labels[first] !== -1);
  const shown = (list: typeof pairs) => {
    const more = list.length > LISTED ? `, and ${list.length - LISTED} more` : '';
    return (
      list
        .slice(0, LISTED)
        .map(({ n, first }) => `${ids[n]} = ${ids[first]}`)
        .join(', ') + more
    );
  };
  const copied = `${pairs.length} imported rows have the scores of another row in every model: they are copies, on one side of every split: ${shown(pairs)}`;
  return other.length === 0
    ? [copied]
    : [copied, `${other.length} imported rows have another label than their copy: ${shown(other)}`];
}

const LISTED = 10;

interface Examples {
  readonly ids: readonly string[];
  readonly labels: Int32Array;
  readonly contentHashes: readonly string[] | null;
  /** K per example; 0 until a table tells. */
  readonly optionCounts: Int32Array;
  /** A `rowLocator` of the ids that has looked up some lists already. */
  readonly locate?: (rowIds: readonly string[]) => Int32Array;
}

function examplesOf(dataset: Dataset): Examples {
  return {
    ids: dataset.examples.map((example) => example.id),
    labels: Int32Array.from(dataset.examples, (example) => example.label ?? -1),
    contentHashes: joinGroups(
      dataset.examples.map(({ nearHash, contentHash }) => nearHash ?? contentHash),
      dataset.examples.map(({ group }) => group ?? null),
    ),
    optionCounts: Int32Array.from(dataset.examples, (example) => example.options.length),
  };
}

/**
 * Finds the example (-1: none) of every row of a list of ids. Lists that are the examples' own are not looked up, and
 * a list that tables share is looked up once.
 *
 * @param known what was found already
 */
function rowLocator(
  ids: readonly string[],
  known = new Map<readonly string[], Int32Array>(),
): (rowIds: readonly string[]) => Int32Array {
  let indexOf: Map<string, number> | null = null;
  const locate = (rowIds: readonly string[]) => {
    const examples = new Int32Array(rowIds.length);
    const same = sameIds(ids, rowIds);
    if (same) {
      for (let row = 0; row < examples.length; row++) examples[row] = row;
      return examples;
    }
    indexOf ??= indexMap(ids);
    for (const [row, id] of rowIds.entries()) examples[row] = indexOf.get(id) ?? -1;
    return examples;
  };
  return (rowIds) => {
    const examples = known.get(rowIds) ?? locate(rowIds);
    known.set(rowIds, examples);
    return examples;
  };
}

function indexMap(ids: readonly string[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [i, id] of ids.entries()) indexes.set(id, i);
  return indexes;
}

/** Refuses rows whose number of options differs from the example's; the first table that has one says how many. */
function countFaults(
  dataset: string,
  { model, logits: { offsets } }: Pick<ModelScores, 'model' | 'logits'>,
  { ids, optionCounts }: Examples,
): Fault[] {
  const faults: Fault[] = [];
  for (let i = 0; i < ids.length; i++) {
    const k = offsets[i + 1]! - offsets[i]!;
    if (k === 0) continue;
    if (optionCounts[i] === 0) optionCounts[i] = k;
    if (optionCounts[i] === k) continue;
    faults.push({
      field: dataset,
      row: ids[i] ?? '',
      message:
        `model "${model}" has ${k} option logits, expected ${optionCounts[i]} as elsewhere; import or ` +
        'score it again',
    });
  }
  return faults;
}

/** @param inverses of tables with the same ids that have every row, by where their examples are: found once */
function usableRows(
  ids: readonly string[],
  { status, reasons, logits }: ScoreTable,
  exampleOfRow: Int32Array,
  inverses: Map<Int32Array, Int32Array>,
): Pick<ModelScores, 'rowOfExample' | 'finite' | 'failures'> {
  const finite = areUsableLogits(logits.values);
  const whole = finite && !status.includes(0);
  const known = whole ? inverses.get(exampleOfRow) : undefined;
  const rowOfExample = known ?? new Int32Array(ids.length).fill(-1);
  const reasonOf = new Map<number, string>();
  for (let row = 0; row < exampleOfRow.length && known === undefined; row++) {
    const i = exampleOfRow[row]!;
    if (i === -1) continue;
    if (status[row] === 1 && !finite && !isMeasurableRow(rowOf(logits, row))) {
      reasonOf.set(i, `a logit is beyond ${LARGEST_LOGIT}; import it again in another unit`);
    } else if (status[row] === 1) rowOfExample[i] = row;
    else reasonOf.set(i, reasons[row] ?? 'no usable logits');
  }
  if (whole) inverses.set(exampleOfRow, rowOfExample);
  const failures: { id: string; reason: string }[] = [];
  for (let i = rowOfExample.indexOf(-1); i !== -1; i = rowOfExample.indexOf(-1, i + 1))
    failures.push({ id: ids[i] ?? '', reason: reasonOf.get(i) ?? 'no scores for this example' });
  return { rowOfExample, finite, failures };
}

/** A model's logits in the order of the examples, with what they were taken from and how. */
interface OrderedRows {
  readonly from: RaggedRows;
  readonly rowOfExample: Int32Array;
  /** Where the row of each example begins in the table; null: the table is in their order. */
  readonly starts: Int32Array | null;
  readonly logits: RaggedRows;
}

/**
 * The table's own logits where its rows are the examples in their order; else a copy, in shared memory where the
 * table's are.
 *
 * @param before another model's; where its rows lie as these do, its places are taken
 */
function inExampleOrder(from: RaggedRows, rowOfExample: Int32Array, before?: OrderedRows): OrderedRows {
  const rowCount = rowOfExample.length;
  const alike = before?.rowOfExample === rowOfExample && sameShape(before.from, from) ? before : undefined;
  if (alike === undefined ? isInOrder(from, rowOfExample) : alike.starts === null)
    return { from, rowOfExample, starts: null, logits: from };
  const { starts, offsets } =
    alike?.starts == null
      ? placesOf(from, rowOfExample, zerosBeside(from.values, Int32Array, rowCount + 1))
      : { starts: alike.starts, offsets: alike.logits.offsets };
  const values = zerosBeside(from.values, Float64Array, offsets[rowCount]!);
  const copy = { from: from.values, starts, offsets, into: values };
  inBlocks(rowCount, (first, last) => copyRows(copy, first, last));
  const taken = { rowCount, offsets, values };
  const same = before !== undefined && sameShape(before.logits, taken);
  return { from, rowOfExample, starts, logits: same ? { ...taken, offsets: before.logits.offsets } : taken };
}

function isInOrder({ rowCount }: RaggedRows, rowOfExample: Int32Array): boolean {
  if (rowOfExample.length !== rowCount) return false;
  for (let i = 0; i < rowCount; i++) if (rowOfExample[i] !== i) return false;
  return true;
}

/** Where the row of every example begins among the given ones, and in a copy in the order of the examples. */
function placesOf(from: RaggedRows, rowOfExample: Int32Array, offsets: Int32Array) {
  const starts = new Int32Array(rowOfExample.length);
  for (let i = 0; i < starts.length; i++) {
    const row = rowOfExample[i]!;
    starts[i] = row === -1 ? 0 : from.offsets[row]!;
    offsets[i + 1] = offsets[i]! + (row === -1 ? 0 : from.offsets[row + 1]! - starts[i]!);
  }
  return { starts, offsets };
}

/** Rows that begin at `starts` of one array and belong at `offsets` of another. */
interface RowCopy {
  readonly from: Float64Array;
  readonly starts: Int32Array;
  readonly offsets: Int32Array;
  readonly into: Float64Array;
}

/** Two numbers a step: rows lie at random places, and a processor waits for more of them at a time. */
function copyRows({ from, starts, offsets, into }: RowCopy, first: number, last: number): void {
  let to = offsets[first]!;
  for (let i = first; i < last; i++) {
    const end = offsets[i + 1]!;
    let at = starts[i]!;
    for (; to + 1 < end; to += 2, at += 2) {
      into[to] = from[at]!;
      into[to + 1] = from[at + 1]!;
    }
    if (to < end) into[to++] = from[at]!;
  }
}

/** The group of every imported example; tables must not contradict each other. */
function importedGroups(
  dataset: string,
  { ids, locate }: Examples,
  tables: ReadonlyMap<string, ScoreTable>,
): (string | null)[] {
  const groups = new Array<string | null>(ids.length).fill(null);
  const faults: Fault[] = [];
  for (const [model, table] of tables) {
    if (table.groups === undefined) continue;
    const exampleOfRow = locate?.(table.ids) ?? new Int32Array();
    for (const [row, group] of table.groups.entries()) {
      const example = exampleOfRow[row] ?? -1;
      if (group === null || example === -1) continue;
      const known = groups[example] ?? null;
      if (known === null) groups[example] = group;
      else if (known !== group) {
        const message = `the import for "${model}" has group "${group}", another one "${known}"; import one of them again`;
        faults.push({ field: dataset, row: ids[example] ?? '', message });
      }
    }
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults.slice(0, 50));
  return groups;
}

/** Union of the imported ids in code-unit order; labels of different files must not contradict each other. */
function importedExamples(dataset: string, tables: ReadonlyMap<string, ScoreTable>): Examples {
  const { ids, known } = unionOfIds(tables);
  const exampleOfRows = rowLocator(ids, known);
  const labels = new Int32Array(ids.length).fill(-1);
  const labelledBy = new Map<ScoreTable, string>();
  const faults: Fault[] = [];
  for (const [model, table] of tables) {
    if (table.labels === null || hasSameLabels(labelledBy, table)) continue;
    const exampleOfRow = exampleOfRows(table.ids);
    for (let row = 0; row < exampleOfRow.length; row++) {
      const example = exampleOfRow[row]!;
      const label = table.labels[row]!;
      const known = labels[example]!;
      if (known === -1) labels[example] = label;
      else if (label !== -1 && label !== known) {
        const id = table.ids[row] ?? '';
        const other = modelWithLabel(labelledBy, id);
        faults.push({
          field: dataset,
          row: id,
          message:
            `the import for "${model}" has label ${label}, the one for "${other}" has ${known}; import one ` +
            'of them again',
        });
      }
    }
    labelledBy.set(table, model);
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults.slice(0, 50));
  return { ids, labels, contentHashes: null, optionCounts: new Int32Array(ids.length), locate: exampleOfRows };
}

/** All ids in order, and where those of a list are that all tables share. */
function unionOfIds(tables: ReadonlyMap<string, ScoreTable>) {
  const lists = new Set([...tables.values()].map((table) => table.ids));
  const [first = [], ...others] = lists;
  if (others.length > 0) return { ids: [...new Set([...lists].flat())].sort(), known: new Map() };
  const order = stringOrder(first);
  const exampleOfRow = new Int32Array(order.length);
  const ids = new Array<string>(order.length);
  for (let example = 0; example < order.length; example++) {
    exampleOfRow[order[example]!] = example;
    ids[example] = first[order[example]!]!;
  }
  return { ids, known: new Map([[first, exampleOfRow]]) };
}

/** Whether one of the tables read so far has the same rows with the same labels. */
function hasSameLabels(tables: ReadonlyMap<ScoreTable, string>, { ids, labels }: ScoreTable): boolean {
  return [...tables.keys()].some((known) => known.ids === ids && sameNumbers(known.labels, labels));
}

function sameNumbers(a: Int32Array | null, b: Int32Array | null): boolean {
  if (a === null || b === null) return false;
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false;
  return true;
}

/** The first of the tables read so far that has a label for the id. */
function modelWithLabel(tables: ReadonlyMap<ScoreTable, string>, id: string): string | undefined {
  return [...tables].find(([{ ids, labels }]) => (labels?.[ids.indexOf(id)] ?? -1) !== -1)?.[1];
}

/** Whether two lists hold the same ids in the same order; decoded tables of the same ids share one list. */
function sameIds(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false;
  return true;
}
