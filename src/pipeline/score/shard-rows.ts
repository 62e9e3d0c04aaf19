import { rowRanges } from '../../cache/parts/row-ranges.js';
import { plain } from '../asking/plain.js';
import { rotations } from '../asking/rotations.js';
import type { PlannedEntry } from '../join/planned-entry.js';
import type { Shard } from '../workspace/run-options.js';
import type { Workspace } from '../workspace/workspace.js';
import { rowCost } from './row-cost.js';
import { allEntries, type ModelPlan } from './score-plan.js';

/** Ranges of the rows of each entry that a shard scores, by entry name; undefined: all rows of the entry. */
export type ShardRows = ReadonlyMap<string, ReadonlySet<number> | undefined>;

/**
 * The rows of one shard. All work of the suite stands in one line, model by model, and is cut into pieces of equal cost
 * (see `rowCost`), so that a shard loads as few models as can be. The line holds what is in the cache too, and so the
 * pieces are the same for every shard, whenever it starts. Rows under other orders of the options build on all plain
 * scores of their model and data set, so those entries are in one piece.
 */
export function shardRows(workspace: Workspace, plans: readonly ModelPlan[], { index, count }: Shard): ShardRows {
  const pieces = plans.flatMap((plan) => piecesOf(workspace, plan));
  const total = pieces.reduce((sum, { cost }) => sum + cost, 0);
  const rows = new Map<string, ReadonlySet<number> | undefined>();
  let before = 0;
  for (const { entries, range, cost } of pieces) {
    const shard = Math.min(count - 1, Math.floor(((before + cost / 2) * count) / total));
    before += cost;
    if (shard !== index) continue;
    for (const name of entries)
      rows.set(name, range === null ? undefined : new Set([...(rows.get(name) ?? []), range]));
  }
  return rows;
}

/** What is in one shard in any case. */
interface Piece {
  /** Names of its entries. */
  readonly entries: readonly string[];
  /** A range of the rows of its entry; null: all rows of all its entries. */
  readonly range: number | null;
  readonly cost: number;
}

function piecesOf(workspace: Workspace, plan: ModelPlan): Piece[] {
  const planned = allEntries(plan).flatMap(({ dataset, way, entry }) => {
    const known = entryOf(entry);
    return known === null ? [] : [{ dataset, way, ...known, cost: rowCost(workspace, { plan, dataset, way }) }];
  });
  return planned.flatMap((entry): Piece[] => {
    const { name, rows, cost, way, dataset } = entry;
    const related = planned.find((each) => each.dataset === dataset && each.way === rotations.name);
    // It is in the piece of the plain scores.
    if (way === rotations.name && planned.some((each) => each.dataset === dataset && each.way === plain.name))
      return [];
    if (way === plain.name && related !== undefined)
      return [{ entries: [name, related.name], range: null, cost: rows * cost + related.rows * related.cost }];
    return rowRanges(rows).map(({ index, from, to }) => ({ entries: [name], range: index, cost: (to - from) * cost }));
  });
}

/** Name and number of rows; null: nothing can be scored. */
function entryOf(entry: PlannedEntry): { readonly name: string; readonly rows: number } | null {
  if (entry.kind === 'open') return { name: entry.key.name, rows: entry.rowsDone + entry.rowsLeft };
  if (entry.kind === 'unavailable' || entry.imported) return null;
  return { name: entry.manifest.name, rows: entry.manifest.rows };
}
