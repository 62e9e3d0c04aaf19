import type { ScoreTable } from '../cache/score-table.js';

/**
 * Lets tables of the same ids in the same order share one list of them: a million strings per model are most of what
 * the garbage collector has to look at, and who sees the same list need not look up every id again. One function per
 * data set; call it on every table as it is read.
 */
export function idSharer(): (table: ScoreTable) => ScoreTable {
  const lists: (readonly string[])[] = [];
  return (table) => {
    const known = lists.find((ids) => sameIds(ids, table.ids));
    if (known !== undefined) return { ...table, ids: known };
    lists.push(table.ids);
    return table;
  };
}

export function sameIds(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false;
  return true;
}
