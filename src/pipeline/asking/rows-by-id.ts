import type { ReadyEntry } from '../join/planned-entry.js';
import type { AlignedRows, JoinedScores } from './way-of-asking.js';

/** Joins an entry whose rows are found by their ids; rows that failed are named. */
export function joinById(_ids: readonly string[], { table, manifest }: ReadyEntry) {
  const missing = table.ids.flatMap((example, row) =>
    table.status[row] === 0 ? [{ example, reason: table.reasons[row] ?? 'no reply' }] : [],
  );
  return { table, rowOfExample: null, facts: (manifest.facts ?? {}) as JoinedScores['facts'], missing };
}

/** The id of the example of each row of an aligned target. */
export function exampleOfRow({ rowOfExample, targetLogits, ids }: AlignedRows): string[] {
  const idOfRow: string[] = new Array(targetLogits.rowCount);
  for (const [i, id] of ids.entries()) {
    const row = rowOfExample[i] ?? -1;
    if (row !== -1) idOfRow[row] = id;
  }
  return idOfRow;
}
