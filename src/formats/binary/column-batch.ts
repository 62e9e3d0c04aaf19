import { type RowValue, type SourceRow, setField } from '../row/source-row.js';

/** Neighbouring rows of a binary table, column by column: ten times cheaper to send to another thread than objects. */
export interface ColumnBatch {
  readonly columns: readonly string[];
  /** `cells[c][n]` is column c of row n. */
  readonly cells: ReadonlyArray<readonly RowValue[]>;
  /** 1-based number of the first row. */
  readonly firstNumber: number;
  readonly rowCount: number;
}

/** The rows of a batch as objects. */
export function rowsOf({ columns, cells, firstNumber, rowCount }: ColumnBatch): SourceRow[] {
  return Array.from({ length: rowCount }, (_, n) => {
    const values: Record<string, RowValue> = {};
    for (let c = 0; c < columns.length; c++) setField(values, columns[c] ?? '', cells[c]?.[n] ?? null);
    return { values, number: firstNumber + n, line: undefined };
  });
}
