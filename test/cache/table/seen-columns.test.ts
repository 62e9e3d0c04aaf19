import { expect, it } from 'vitest';
import type { ArrowColumns } from '../../../src/arrow/arrow-column.js';
import {
  sameSeen,
  seenArrowColumns,
  seenAt,
  seenColumns,
  seenOf,
  takeSeen,
} from '../../../src/cache/table/seen-columns.js';

const rows = [{ document: 'd0', target: 't0', prompt: 'p0' }, null, { document: 'd2', target: null, prompt: 'p2' }];

it('hashes of rows become columns, are found by row, taken by row, and come back from a file', () => {
  const seen = seenColumns(rows)!;
  expect([0, 1, 2].map((n) => seenAt(seen, n))).toEqual([
    rows[0],
    { document: null, target: null, prompt: null },
    rows[2],
  ]);
  expect(seenAt(seen, 3)).toEqual({ document: null, target: null, prompt: null });
  expect(seenAt(takeSeen(seen, Int32Array.of(2, 0)), 1)).toEqual(rows[0]);
  const columns = seenArrowColumns(seen) as ArrowColumns;
  expect(seenOf(columns)).toEqual(seen);
  expect([seenColumns([null, null]), seenOf({} as ArrowColumns)]).toEqual([null, null]);
  const int = { type: 'int32', values: Int32Array.of(1, 2, 3) } as const;
  for (const name of ['documentHash', 'targetHash', 'promptHash']) {
    expect(() => seenOf({ ...columns, [name]: int } as ArrowColumns)).toThrow(
      /hashes of documents, targets or prompts/,
    );
    if (name === 'documentHash') continue;
    const { [name]: _, ...fewer } = columns as Record<string, ArrowColumns[string]>;
    expect(() => seenOf(fewer as ArrowColumns)).toThrow(/are not as expected/);
  }
});

it('columns are the same where every hash is', () => {
  const seen = seenColumns(rows)!;
  expect([sameSeen(seen, seenColumns(rows)!), sameSeen(undefined, undefined)]).toEqual([true, true]);
  expect([sameSeen(seen, undefined), sameSeen(undefined, seen)]).toEqual([false, false]);
  for (const field of ['document', 'target', 'prompt'] as const) {
    const changed = rows.map((row, n) => (n === 2 ? { ...rows[0]!, ...row, [field]: 'x' } : row));
    expect(sameSeen(seen, seenColumns(changed)!)).toBe(false);
  }
  expect(sameSeen(seen, seenColumns([...rows, null])!)).toBe(false);
});
