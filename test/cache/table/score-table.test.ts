import { describe, expect, it } from 'vitest';
import type { ArrowColumn, ArrowColumns } from '../../../src/arrow/arrow-column.js';
import {
  columnsOf,
  joinTables,
  type ScoreTable,
  sameTable,
  scoreTable,
  tableOf,
  takeTableRows,
} from '../../../src/cache/table/score-table.js';
import { seenColumns } from '../../../src/cache/table/seen-columns.js';
import { tableRows } from '../../../src/cache/table/table-rows.js';
import type { ModelRow } from '../../../src/contract/scored-row.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { testIds, testReply, testRow } from '../test-ingredients.js';

const ids = testIds(9);
const scores = () => scoreTable(ids.map(testRow));
const replies = () => scoreTable(ids.map(testReply));
const untold = () => scoreTable(ids.map((id, n) => ({ ...testRow(id, n), ...(n === 3 && { untold: 2 }) })));
const imported = () => scoreTable(ids.map(testRow), Int32Array.of(0, 1, -1, 0, -1, 1, 0, 0, 1));

describe('a table of rows', () => {
  it.each([
    ['scores', scores, 'float32'],
    ['replies', replies, 'float32'],
    ['options that were not told', untold, 'float32'],
    ['an import with labels', imported, 'float64'],
  ] as const)('of %s is the same after it was stored as columns', (_, make, precision) => {
    const stored = tableOf(columnsOf(make(), precision));
    expect(sameTable(make(), stored, precision)).toBe(true);
    expect(stored).toEqual(make());
  });

  it('keeps groups and hashes of an import, and takes no other type for them', () => {
    const groups = ids.map((_, n) => (n < 3 ? 'g' : null));
    const hashes = ids.map((_, n) => (n % 2 === 0 ? { document: `d${n}`, target: null, prompt: 'p' } : null));
    const table = { ...imported(), groups, seen: seenColumns(hashes)! };
    const columns = columnsOf(table, 'float64') as ArrowColumns;
    expect(tableOf(columns)).toEqual(table);
    expect(() => tableOf({ ...columns, group: columns.promptTokens! })).toThrow(/group column is not as expected/);
    expect(sameTable(table, { ...table, groups: groups.toReversed() }, 'float64')).toBe(false);
    expect('groups' in tableOf(columnsOf(imported(), 'float64') as ArrowColumns)).toBe(false);
  });

  it('gives the rows back that were put into it', () => {
    const plain = (rows: readonly ModelRow[]) =>
      rows.map((row) => (row.status === 'ok' ? { ...row, logits: Array.from(row.logits) } : { ...row, ended: true }));
    expect(plain(tableRows(scores()))).toEqual(plain(ids.map(testRow)));
    expect(plain(tableRows(replies()))).toEqual(plain(ids.map(testReply)));
  });

  it('says of each row what was not told, and has no such column where all was', () => {
    expect(untold().untold?.[3]).toBe(2);
    expect(joinTables([scores(), untold()]).untold?.[12]).toBe(2);
    expect(takeTableRows(untold(), Int32Array.of(3)).untold).toEqual(Int32Array.of(2));
    expect('untold' in columnsOf(takeTableRows(untold(), Int32Array.of(0)), 'float32')).toBe(false);
    expect(sameTable(untold(), scores(), 'float32')).toBe(false);
    expect(tableRows(untold())[3]).toMatchObject({ status: 'ok', untold: 2 });
  });

  it('has nulls, with 0 beneath, where something is unknown', () => {
    const columns = columnsOf(imported(), 'float64');
    const one = (column: ArrowColumn | undefined) => column as Extract<ArrowColumn, { type: 'float64' }>;
    expect([one(columns.logZ).values[4], one(columns.logZ).nulls?.[4], one(columns.logZ).nulls?.[3]]).toEqual([
      0, 1, 0,
    ]);
    expect([...(one(columns.label).nulls ?? [])]).toEqual([0, 0, 1, 0, 1, 0, 0, 0, 0]);
    expect(columns.logits?.type).toBe('list<float64>');
    expect('label' in columnsOf(scores(), 'float32')).toBe(false);
  });

  it('joins others, and takes rows in any order', () => {
    const [a, b] = [
      scoreTable(ids.slice(0, 4).map(testRow)),
      scoreTable(ids.slice(4).map((id, n) => testRow(id, n + 4))),
    ];
    expect(joinTables([a, b])).toEqual(scores());
    expect(takeTableRows(joinTables([b, a]), Int32Array.of(5, 6, 7, 8, 0, 1, 2, 3, 4))).toEqual(scores());
    const [c, d] = [scoreTable([testReply(ids[0]!, 0)]), scoreTable([testRow(ids[4]!, 4)])];
    // A table of failed rows alone has no columns of replies.
    expect(joinTables([c, d])).toEqual(scoreTable([testReply(ids[0]!, 0), testRow(ids[4]!, 4)]));
    expect(takeTableRows(imported(), Int32Array.of(2, 1)).labels).toEqual(Int32Array.of(-1, 1));
    expect(takeTableRows(replies(), Int32Array.of(1)).replies).toEqual(scoreTable([testReply(ids[1]!, 1)]).replies);
  });

  it('gives half a surrogate pair in a reason a form that can be stored', () => {
    const row = { status: 'failed', id: 'a', reason: 'x\ud800', promptTokens: 0 } as const;
    expect(scoreTable([row]).reasons).toEqual(['x\ufffd']);
  });
});

describe('sameTable', () => {
  const changed = <F extends keyof ScoreTable>(field: F, change: (value: ScoreTable[F]) => ScoreTable[F]) => {
    const table = imported();
    return { ...table, [field]: change(table[field]) };
  };
  /** Numbers that are alike but for the last. */
  const other = <T extends { slice(): T; fill(value: number, start: number): T }>(numbers: T): T =>
    numbers.slice().fill(7, -1);

  it.each<[string, ScoreTable]>([
    ['ids', changed('ids', (list) => [...list.slice(0, 8), 'other'])],
    ['reasons', changed('reasons', (list) => [...list.slice(0, 8), 'other'])],
    ['status', changed('status', other)],
    ['logits', changed('logits', (rows) => ({ ...rows, values: other(rows.values) }))],
    ['offsets', changed('logits', (rows) => ({ ...rows, offsets: other(rows.offsets) }))],
    ['logZ', changed('logZ', other)],
    ['optionMass', changed('optionMass', other)],
    ['promptTokens', changed('promptTokens', other)],
    ['labels', changed('labels', (labels) => other(labels!))],
    ['no labels', changed('labels', () => null)],
    ['the number of rows', scoreTable(ids.slice(0, 8).map(testRow), Int32Array.of(0, 1, -1, 0, -1, 1, 0, 0))],
    ['replies', { ...imported(), replies: replies().replies! }],
  ])('sees other %s', (_, table) => {
    expect([sameTable(imported(), table, 'float64'), sameTable(table, imported(), 'float64')]).toEqual([false, false]);
  });

  it.each(['texts', 'verdicts', 'answers', 'confidences', 'seeds', 'replyTokens'] as const)(
    'sees one other value in the %s of replies',
    (field) => {
      const table = replies();
      const list: ArrayLike<unknown> = table.replies![field];
      const values = Array.isArray(list) ? [...list.slice(0, 8), 'other'] : other(list as Float64Array);
      const there = { ...table, replies: { ...table.replies!, [field]: values } };
      expect([sameTable(replies(), there, 'float32'), sameTable(there, replies(), 'float32')]).toEqual([false, false]);
    },
  );

  it('compares at the precision that was stored, and takes NaN for NaN', () => {
    const rows = (value: number): ScoreTable => ({ ...scores(), logits: raggedRows(ids.map(() => [value, 1])) });
    expect(sameTable(rows(0.1), rows(Math.fround(0.1)), 'float32')).toBe(true);
    expect(sameTable(rows(0.1), rows(Math.fround(0.1)), 'float64')).toBe(false);
  });
});

describe('columns that no table has', () => {
  const text = { type: 'utf8', values: ids } as const;
  const float = { type: 'float64', values: new Float64Array(9) } as const;
  const int = { type: 'int32', values: new Int32Array(9) } as const;
  const whole = (): ArrowColumns => ({ ...columnsOf(replies(), 'float32'), label: int });
  it.each<[string, ArrowColumn | undefined, string]>([
    ...[undefined, int].flatMap((column): [string, ArrowColumn | undefined, string][] => [
      ['id', column, 'its text columns are not as expected'],
      ['reason', column, 'its text columns are not as expected'],
      ['logits', column, 'it has no column of logits'],
      ['logZ', column, 'its logZ or optionMass is missing'],
      ['optionMass', column, 'its logZ or optionMass is missing'],
      ['status', column, 'its promptTokens or status is missing'],
      ['verdict', column, 'its texts of replies are not as expected'],
      ['confidence', column, 'its confidence is missing'],
    ]),
    ...[undefined, float].flatMap((column): [string, ArrowColumn | undefined, string][] => [
      ['promptTokens', column, 'its promptTokens or status is missing'],
      ['answer', column, 'its answer, seed or replyTokens is missing'],
      ['seed', column, 'its answer, seed or replyTokens is missing'],
      ['replyTokens', column, 'its answer, seed or replyTokens is missing'],
    ]),
    ['reply', float, 'its texts of replies are not as expected'],
    ['label', float, 'its label column is not as expected'],
    ['scale', text, 'its column "scale" is of another version of supportcal'],
  ])('%s: %j is refused', (name, column, reason) => {
    const { [name]: _, ...others } = whole();
    const columns = column === undefined ? others : { ...others, [name]: column };
    expect(() => tableOf(columns)).toThrow(reason);
    expect(() => tableOf(whole())).not.toThrow();
  });
});
