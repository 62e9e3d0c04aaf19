import type { ScoreTable } from '../../cache/table/score-table.js';
import { firstOrderFailed, withFirstOrder } from '../../contract/first-order.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelRow, ScoredRow } from '../../contract/scored-row.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import type { FinishRows } from './way-of-asking.js';

/**
 * Adds the identity rotation to rows that lack it; the plain scores are asked for when the first row comes that needs
 * them. A row that was scored together with its plain prompt has all its orders already.
 *
 * @param prompts with all orders of their options
 */
export function identityRotationAdder(
  prompts: readonly ExamplePrompt[],
  plainScores: () => Promise<ScoreTable>,
): FinishRows {
  const logitsOf = new Map(prompts.map((prompt) => [prompt.id, logitsOfAll(prompt)]));
  const lacksFirst = (row: ModelRow) => row.status === 'ok' && row.logits.length !== logitsOf.get(row.id);
  let add: ((rows: readonly ModelRow[]) => ModelRow[]) | undefined;
  return async (rows) => {
    // Rows that failed may come before the plain scores; they need none.
    if (!rows.some(lacksFirst)) return rows;
    add ??= addIdentityRotation(await plainScores());
    const added = add(rows.filter(lacksFirst)).values();
    return rows.map((row) => (lacksFirst(row) ? (added.next().value ?? row) : row));
  };
}

function logitsOfAll({ rotations = [] }: ExamplePrompt): number {
  return rotations.reduce((sum, { continuations }) => sum + continuations.length, 0);
}

/**
 * Makes rows of the rotations 2 to K whole: the first rotation, which leaves the options where they are, is the plain
 * prompt, so its logits, logZ and option mass are those of the plain row. One rotation that fails fails the row, the
 * first one too. `promptTokens` stays that of the rotations 2 to K.
 */
export function addIdentityRotation(plain: ScoreTable): (rows: readonly ModelRow[]) => ModelRow[] {
  const places = new Map(plain.ids.map((id, row) => [id, row]));
  return (rows) => rows.map((row) => (row.status === 'ok' ? join(row, plain, places.get(row.id)) : row));
}

function join(row: Extract<ScoredRow, { status: 'ok' }>, plain: ScoreTable, at: number | undefined): ScoredRow {
  if (at === undefined) throw new SupportCalError('internal', { row: row.id, message: 'there are no plain scores' });
  if (plain.status[at] === 0) return firstOrderFailed(row, plain.reasons[at] ?? 'no usable logits');
  if ((plain.untold?.[at] ?? 0) !== 0) return firstOrderFailed(row, 'the server did not tell every option');
  const [optionMass = Number.NaN, logZ = Number.NaN] = [plain.optionMass[at], plain.logZ[at]];
  return withFirstOrder({ logits: rowOf(plain.logits, at), logZ, optionMass }, row);
}
