import type { FaultList } from '../../formats/row/fault-list.js';
import type { RowBatches, SourceRow } from '../../formats/row/source-row.js';
import type { ImportResult } from './import-row.js';

/** A file of option scores, opened. */
export interface OpenedLogits {
  readonly batches: RowBatches;
  /** What is wrong with the file comes here while its rows are read. */
  readonly faults: FaultList;
  /** The scores of one row. The first row that is given settles in which columns a table keeps them. */
  readonly take: (row: SourceRow) => ImportResult | { readonly kind: 'left-out' };
  /** What was taken of the file and what was not, as sentences, once all of it was read. */
  readonly notes?: () => readonly string[];
}
