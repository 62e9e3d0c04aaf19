import { expect, it } from 'vitest';
import { BATCH_ROWS, columnBatches } from '../../../src/formats/binary/column-batch.js';

const sizes = (rows: { start: number; end: number }, text: string, most?: number) =>
  Array.from(
    columnBatches(['n', 'text'], rows, (c, n) => (c === 0 ? n : text), most),
    (batch) => [batch.firstNumber, batch.rowCount, batch.cells[0]?.[0]],
  );

it('ends a batch with the row that fills it with text, and goes on with the next one', () => {
  expect(sizes({ start: 3, end: 8 }, 'x'.repeat(60), 100)).toEqual([
    [4, 2, 3],
    [6, 2, 5],
    [8, 1, 7],
  ]);
});

it('ends a batch of short rows by their number', () => {
  expect(sizes({ start: 0, end: BATCH_ROWS + 1 }, '')).toEqual([
    [1, BATCH_ROWS, 0],
    [BATCH_ROWS + 1, 1, BATCH_ROWS],
  ]);
});
