import { fieldOf, type SourceRow } from '../../formats/row/source-row.js';
import { idText, rowId } from './row-id.js';

/** What the answer to a question goes by. */
export interface GivenId {
  readonly id: string;
  /** null: its own id, or the data set names no field for one. */
  readonly instead: IdInstead | null;
}

/** A question lacks the id that its data set names, and goes by another. */
export interface IdInstead {
  /** The fields of the data set's id, joined with `/`. */
  readonly wanted: string;
  readonly by: 'id' | 'number';
}

/**
 * The id of a new question, by which its answer is found again: what the id fields of the data set hold; without them
 * its field `id`, which files of scores and requests have; without that its number.
 */
export function givenId(row: SourceRow, idFields: readonly string[]): GivenId {
  const own = idFields.length === 0 ? null : rowId(row, idFields);
  if (own?.kind === 'ok') return { id: own.id, instead: null };
  const instead = (by: IdInstead['by']) => (own === null ? null : { wanted: idFields.join('/'), by });
  const plain = idText(fieldOf(row.values, 'id') ?? null);
  if (plain.kind === 'ok') return { id: plain.id, instead: instead('id') };
  return { id: String(row.number), instead: instead('number') };
}
