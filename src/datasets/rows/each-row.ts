import { SupportCalError } from '../../errors/supportcal-error.js';
import type { FaultList } from '../../formats/row/fault-list.js';
import type { RowBatches, SourceRow } from '../../formats/row/source-row.js';

/**
 * Visits rows until `visit` answers false. A source that breaks off half way adds its fault to those that its first
 * part showed; a source that is not there at all is thrown at once.
 */
export async function eachRow(
  batches: RowBatches,
  faults: FaultList,
  visit: (row: SourceRow) => boolean,
): Promise<void> {
  try {
    for await (const batch of batches) {
      for (const row of batch) if (!visit(row)) return;
    }
  } catch (error) {
    if (!(error instanceof SupportCalError) || error.code !== 'bad-input') throw error;
    for (const fault of error.faults) faults.addLast(fault);
  }
}
