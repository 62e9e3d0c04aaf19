import { branchPaths, startsWith } from '../../encode/branch-paths.js';
import type { Reading, TextEvaluation, TextRow } from '../../protocol/backend.js';
import { readingFault } from '../../protocol/reading-fault.js';
import type { BranchReading, BranchRow, BranchSequence } from './branch-laps.js';
import { type BranchContext, evaluateBranches } from './evaluate-branches.js';

/**
 * Log-probabilities of every token of every continuation. Row n goes to sequence n. Token 0 of every continuation is
 * read at the prompt's last position, token j where token j - 1 stands. A row that fails is an `error`; the others go
 * on.
 */
export async function evaluateContinuations(
  sequences: readonly BranchSequence[],
  rows: readonly TextRow[],
  context: BranchContext,
): Promise<TextEvaluation[]> {
  const found = rows.map(({ continuations }) => continuations.map((tokens) => tokens.map((): Read => undefined)));
  const branching = rows.map((row, n) => branchRow(row, found[n]!));
  const errors = await evaluateBranches(sequences, branching, context);
  return found.map((logProbs, n) => {
    const message = errors[n] ?? null;
    return message === null ? { kind: 'logProbs', logProbs } : { kind: 'error', message };
  });
}

type Read = number | undefined;

function branchRow(row: TextRow, logProbs: Read[][]): BranchRow {
  const paths = branchPaths(row.continuations);
  return {
    stem: row.tokens,
    paths: paths.map((tokens, n) => ({ tokens, readings: readingsOn(tokens, row, logProbs, n === 0 ? 0 : 1) })),
  };
}

/** Token j (from `from` on) of every option that begins with the path's first j tokens. */
function readingsOn(
  path: readonly number[],
  { continuations }: TextRow,
  logProbs: Read[][],
  from: number,
): BranchReading[] {
  return continuations.flatMap((tokens, k) =>
    tokens.flatMap((id, j) => {
      if (j < from || j > path.length || !startsWith(path, tokens.slice(0, j))) return [];
      const take = (reading: Reading) => {
        logProbs[k]![j] = logProb(reading);
      };
      return [{ at: j - 1, ids: [id], take }];
    }),
  );
}

/**
 * logit - max - ln(sum of exp(logit - max)); undefined when the backend gave no such logit.
 *
 * @throws Error when the sum does not cover the whole vocabulary
 */
function logProb(reading: Reading): Read {
  const { logits, maxLogit, totalWeight } = reading;
  const [logit] = logits;
  if (logit === undefined || Number.isNaN(maxLogit) || Number.isNaN(totalWeight)) return undefined;
  const fault = Number.isFinite(logit) ? readingFault(reading) : null;
  if (fault !== null) throw new Error(fault);
  return logit - maxLogit - Math.log(totalWeight);
}
