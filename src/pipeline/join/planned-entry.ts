import type { EntryKey } from '../../cache/key/entry-key.js';
import type { Manifest } from '../../cache/key/manifest.js';
import type { ScoreTable } from '../../cache/table/score-table.js';

/** Scores that the cache has. */
export interface ReadyEntry {
  readonly kind: 'ready';
  readonly table: ScoreTable;
  readonly manifest: Manifest;
  readonly imported: boolean;
}

/** Scores that are still to be made. */
export interface OpenEntry {
  readonly kind: 'open';
  readonly key: EntryKey;
  /** Rows that are not in the cache yet. */
  readonly rowsLeft: number;
  /** Rows that an earlier run left there, or that another version of the data set has. */
  readonly rowsDone: number;
}

/** What the cache has for one model on one data set, asked in one way. */
export type PlannedEntry =
  | ReadyEntry
  | OpenEntry
  /** Cannot be had: no file and no import. */
  | { readonly kind: 'unavailable'; readonly reason: string };
