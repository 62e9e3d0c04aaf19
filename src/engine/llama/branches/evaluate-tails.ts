import type { Reading, TailsEvaluation, TailsRow } from '../../protocol/backend.js';
import type { BranchSequence } from './branch-laps.js';
import { type BranchContext, evaluateBranches } from './evaluate-branches.js';

/**
 * Option logits at the end of every tail. Row n goes to sequence n. A row that fails is an `error`; the others go on.
 */
export async function evaluateTails(
  sequences: readonly BranchSequence[],
  rows: readonly TailsRow[],
  context: BranchContext,
): Promise<TailsEvaluation[]> {
  const found = rows.map((): Reading[] => []);
  const branching = rows.map(({ tokens: stem, tails }, n) => ({
    stem,
    paths: tails.map(({ tokens, optionIds }, r) => {
      const take = (reading: Reading) => {
        found[n]![r] = reading;
      };
      return { tokens, readings: [{ at: tokens.length - 1, ids: optionIds, take }] };
    }),
  }));
  const errors = await evaluateBranches(sequences, branching, context);
  return found.map((readings, n) => {
    const message = errors[n] ?? null;
    return message === null ? { kind: 'readings', readings } : { kind: 'error', message };
  });
}
