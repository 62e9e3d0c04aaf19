import type { ScoreTable } from '../../cache/table/score-table.js';
import type { ModelRow, ScoredRow } from '../../contract/scored-row.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import type { FinishRows } from './way-of-asking.js';

/** Adds the identity rotation to rows; the plain scores are asked for when the first row comes that needs them. */
export function identityRotationAdder(plainScores: () => Promise<ScoreTable>): FinishRows {
  let add: ((rows: readonly ModelRow[]) => ModelRow[]) | undefined;
  return async (rows) => {
    // Rows that failed may come before the plain scores; they need none.
    if (rows.every(({ status }) => status === 'failed')) return rows;
    add ??= addIdentityRotation(await plainScores());
    return add(rows);
  };
}

/**
 * Makes rows of the rotations 2 to K whole: the first rotation, which leaves the options where they are, is the plain
 * prompt, so its logits, logZ and option mass are those of the plain row. One rotation that fails fails the row, the
 * first one too. `promptTokens` stays what was evaluated.
 */
export function addIdentityRotation(plain: ScoreTable): (rows: readonly ModelRow[]) => ModelRow[] {
  const places = new Map(plain.ids.map((id, row) => [id, row]));
  return (rows) => rows.map((row) => (row.status === 'ok' ? join(row, plain, places.get(row.id)) : row));
}

function join(row: Extract<ScoredRow, { status: 'ok' }>, plain: ScoreTable, at: number | undefined): ScoredRow {
  const { id, promptTokens } = row;
  if (at === undefined) throw new SupportCalError('internal', { row: id, message: 'there are no plain scores' });
  if (plain.status[at] === 0)
    return { status: 'failed', id, reason: `rotation 1: ${plain.reasons[at] ?? 'no usable logits'}`, promptTokens };
  if ((plain.untold?.[at] ?? 0) !== 0)
    return { status: 'failed', id, reason: 'rotation 1: the server did not tell every option', promptTokens };
  const first = rowOf(plain.logits, at);
  const logits = new Float32Array(first.length + row.logits.length);
  logits.set(first);
  logits.set(row.logits, first.length);
  const others = first.length - 1;
  const [plainMass = Number.NaN, logZ = Number.NaN] = [plain.optionMass[at], plain.logZ[at]];
  const optionMass = (plainMass + others * row.optionMass) / (1 + others);
  return { status: 'ok', id, logits, logZ, optionMass, promptTokens };
}
