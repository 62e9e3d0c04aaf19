import { groupBy } from '../../contract/group-by.js';
import { scalarText } from '../../formats/row/source-row.js';
import { compareStrings } from '../../numeric/string-order.js';
import type { DraftContext, DraftRow, IdentifiedRow } from './draft-row.js';

const HASH_DIGITS = 16;

/**
 * Gives rows without an id field the first 16 hexadecimal digits of their content hash; further copies get `#2`, `#3`.
 * Copies are told apart by label before file order, so that shuffled lines keep their ids.
 */
export function assignContentIds(rows: readonly DraftRow[]): asserts rows is readonly IdentifiedRow[] {
  const nameless = rows.filter(({ id }) => id === null);
  for (const [key, group] of groupBy(nameless, ({ contentHash }) => contentHash.slice(0, HASH_DIGITS))) {
    if (group.length > 1) group.sort(byLabelThenPlace);
    group.forEach((row, n) => {
      row.id = n === 0 ? key : `${key}#${n + 1}`;
    });
  }
}

/** Every id twice in the file is a fault that names both places. */
export function refuseDuplicateIds(rows: readonly IdentifiedRow[], { mapping, source, faults }: DraftContext): void {
  const first = new Map<string, IdentifiedRow>();
  for (const row of rows) {
    const other = first.get(row.id);
    if (other === undefined) {
      first.set(row.id, row);
      continue;
    }
    const place = other.line === undefined ? `row ${other.number}` : `line ${other.line}`;
    const where = other.file === row.file ? place : `${place} of ${other.file}`;
    const message = `the id "${row.id}" is already used on ${where}; ids must be unique`;
    faults.add({
      file: source.fileOf(undefined, row),
      line: row.line,
      field: mapping.idFields[0],
      row: row.id,
      number: row.number,
      message,
    });
  }
}

function byLabelThenPlace(a: DraftRow, b: DraftRow): number {
  return (
    compareStrings(labelText(a), labelText(b)) || compareStrings(a.file ?? '', b.file ?? '') || a.number - b.number
  );
}

function labelText(row: DraftRow): string {
  return scalarText(row.label) ?? '';
}
