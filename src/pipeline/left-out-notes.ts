import type { LeftOutRow } from '../datasets/example.js';

const LISTED_IDS = 50;

/** What the report says of rows that were left out: one line per reason, since a few-shot block can take dozens. */
export function leftOutNotes(dataset: string, rows: readonly LeftOutRow[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { id, reason } of rows) {
    const ids = byReason.get(reason);
    if (ids) ids.push(id);
    else byReason.set(reason, [id]);
  }
  return [...byReason].map(([reason, ids]) => {
    const more = ids.length > LISTED_IDS ? `, and ${ids.length - LISTED_IDS} more` : '';
    return `${dataset}: left out (${reason}), ${ids.length} in all: ${ids.slice(0, LISTED_IDS).join(', ')}${more}`;
  });
}
