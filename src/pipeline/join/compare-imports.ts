import { readImportedEntry } from '../../cache/imported-entry.js';
import { seenAt } from '../../cache/table/seen-columns.js';
import type { SeenHashes } from '../../contract/seen-hashes.js';
import { compareSeen, type SeenRows } from '../../datasets/logits/harness/same-documents.js';
import type { ImportedLogits } from '../../datasets/logits/read-imported-logits.js';
import type { FaultList } from '../../formats/row/fault-list.js';

/** A file whose scores are about to be imported, and where those of other models are. */
export interface ImportToCompare {
  readonly file: string;
  readonly imported: Pick<ImportedLogits, 'rows' | 'hashes' | 'lines'>;
  readonly cache: string;
  readonly dataset: string;
  /** The other models of the file of models. */
  readonly others: readonly string[];
}

/**
 * Compares what the rows of a log are of with earlier imports of logs of other models on the same data set: a fault for
 * every row of another document or right answer.
 *
 * @returns sentences on prompts and rows that differ
 */
export async function compareImports(
  { file, imported, cache, dataset, others }: ImportToCompare,
  faults: FaultList,
): Promise<string[]> {
  if (imported.hashes.every((hashes) => hashes === null)) return [];
  const own: SeenRows = { name: file, rows: seenRows(imported) };
  const notes: string[] = [];
  for (const model of others) {
    const entry = await readImportedEntry(cache, { model, dataset });
    if (entry.kind !== 'complete' || entry.table.seen === undefined) continue;
    const { ids, seen } = entry.table;
    const rows = new Map(ids.map((id, n) => [id, { ...seenAt(seen, n), line: undefined }]));
    notes.push(...compareSeen({ name: `the import of "${model}"`, rows }, own, faults));
  }
  return notes;
}

function seenRows({ rows, hashes, lines }: ImportToCompare['imported']): SeenRows['rows'] {
  const found = new Map<string, SeenHashes & { readonly line: number | undefined }>();
  rows.forEach(({ id }, n) => {
    const seen = hashes[n];
    if (seen) found.set(id, { ...seen, line: lines[n] });
  });
  return found;
}
