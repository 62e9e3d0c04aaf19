import type { ScoreTable } from '../table/score-table.js';
import { eachPart, type ReadEach, readPartTable } from './part-files.js';

/** Which rows a part holds, and which of them are scored. */
export type PartIds = Pick<ScoreTable, 'ids' | 'status'>;

/** Says which rows the parts of a folder hold. */
export type PartReader = (folder: string) => Promise<ReadEach<PartIds>>;

/**
 * A reader that reads each part once. A part never changes, and its name holds its checksum; one that is damaged after
 * it was read is found when the entry is put together, which reads all of them again. A run keeps one reader as long
 * as it looks for work: it looks often, and parts may be many.
 */
export function partReader(): PartReader {
  const known = new Map<string, PartIds>();
  return (folder) =>
    eachPart(folder, async (part) => {
      const name = `${folder}/${part.sequence}-${part.rows}-${part.checksum}`;
      const found = known.get(name);
      if (found !== undefined) return found;
      const { ids, status } = await readPartTable(folder, part);
      known.set(name, { ids, status });
      return { ids, status };
    });
}
