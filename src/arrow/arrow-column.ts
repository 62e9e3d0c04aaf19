import type { RaggedRows } from '../numeric/ragged-rows.js';

/** One column of a table of ours. `nulls[n]` is 1 where row n is null; absent: the column has no nulls. */
export type ArrowColumn =
  | { readonly type: 'utf8'; readonly values: ReadonlyArray<string | null> }
  | { readonly type: 'uint8'; readonly values: Uint8Array; readonly nulls?: Uint8Array | undefined }
  | { readonly type: 'int32'; readonly values: Int32Array; readonly nulls?: Uint8Array | undefined }
  | { readonly type: 'float64'; readonly values: Float64Array; readonly nulls?: Uint8Array | undefined }
  | {
      readonly type: 'list<float32>' | 'list<float64>';
      readonly rows: RaggedRows;
      readonly nulls?: Uint8Array | undefined;
    };

export type ArrowColumns = Readonly<Record<string, ArrowColumn>>;

/** Number of rows of one column. */
export function lengthOf(column: ArrowColumn): number {
  return 'rows' in column ? column.rows.rowCount : column.values.length;
}
