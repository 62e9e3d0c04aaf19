import type { EntryKey } from '../../cache/key/entry-key.js';
import type { Manifest } from '../../cache/key/manifest.js';
import type { ScoreTable } from '../../cache/table/score-table.js';

/** What the cache has for one model on one data set. */
export type PlannedEntry =
  | { readonly kind: 'ready'; readonly table: ScoreTable; readonly manifest: Manifest; readonly imported: boolean }
  /** To be scored; `rowsLeft` are not in the cache yet, `rowsDone` an earlier run left there. */
  | {
      readonly kind: 'open';
      readonly key: EntryKey;
      readonly rowsLeft: number;
      readonly rowsDone: number;
      readonly damage: string | null;
    }
  /** Cannot be had: no file and no import. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** What is planned for one model. */
export interface Planned {
  readonly model: { readonly id: string };
}
