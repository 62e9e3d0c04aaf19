import type { ControlledEvaluateInputItem, Token } from 'node-llama-cpp';
import type { TextEvaluation, TextRow } from '../backend.js';
import { branchPaths } from '../branch-paths.js';
import { type Branching, type BranchSequence, firstLap, type Lap, lapsOf } from './branch-laps.js';

/**
 * Log-probabilities of every token of every continuation. Row n goes to sequence n, where the first `kept` tokens of
 * its prompt are evaluated already. The rest of the prompt is evaluated once, with the row's first path right after it;
 * each further path branches from the kept prompt. Token 0 of every continuation is read at the prompt's last position,
 * token j where token j - 1 stands. A row that fails is an `error`; the others go on.
 */
export async function evaluateContinuations(
  sequences: readonly BranchSequence[],
  rows: readonly TextRow[],
  kept: number,
): Promise<TextEvaluation[]> {
  const states = rows.map(
    (row, n): Branching => ({
      sequence: sequences[n]!,
      row,
      paths: branchPaths(row.continuations),
      logProbs: row.continuations.map((tokens) => tokens.map(() => undefined)),
      error: null,
    }),
  );
  await evaluateTogether(states.map((state) => firstLap(state, kept)));
  const passes = Math.max(...states.map(({ paths }) => paths.length));
  for (let pass = 1; pass < passes; pass++) {
    const laps = lapsOf(states, pass);
    await Promise.all(laps.map(({ state }) => attempt(state, () => rewind(state.sequence, state.row.tokens))));
    await evaluateTogether(laps);
  }
  return states.map(({ error, logProbs }) =>
    error === null ? { kind: 'logProbs', logProbs } : { kind: 'error', message: error },
  );
}

/** Queues all rows in one turn, filled up to one length, so that llama.cpp evaluates them in one pass. */
async function evaluateTogether(laps: readonly Lap[]): Promise<void> {
  const padded = Math.max(...laps.map(({ input }) => input.length));
  await Promise.all(laps.map((lap) => attempt(lap.state, () => evaluateLap(lap, padded))));
}

async function attempt(state: Branching, work: () => Promise<void>): Promise<void> {
  if (state.error !== null) return;
  try {
    await work();
  } catch (error) {
    state.error = error instanceof Error ? error.message : String(error);
  }
}

async function evaluateLap({ state, input, readings }: Lap, padded: number): Promise<void> {
  const { sequence, row, logProbs } = state;
  const items: ControlledEvaluateInputItem[] = input.map((token, position) => {
    const ids = readings.filter(({ at }) => at === position).map(({ k, j }) => row.continuations[k]![j]!);
    return ids.length === 0 ? (token as Token) : [token as Token, { generateNext: request(ids) }];
  });
  // The filler stands after every position that is read.
  while (items.length < padded) items.push((input.at(-1) ?? row.tokens.at(-1)!) as Token);
  const output = await sequence.controlledEvaluate(items);
  for (const { k, j, at } of readings) logProbs[k]![j] = logProb(output[at]?.next, row.continuations[k]![j]!);
}

function request(ids: readonly number[]) {
  return {
    token: true,
    logits: { filter: { tokens: [...new Set(ids)] as Token[], includeSelected: true } },
    totalLogitWeight: true,
    options: { temperature: 0 },
  };
}

type Next = NonNullable<Awaited<ReturnType<BranchSequence['controlledEvaluate']>>[number]>['next'];

/** logit - max - ln(sum of exp(logit - max)); undefined when the backend gave no such logit. */
function logProb(next: Next | undefined, id: number): number | undefined {
  const logit = next?.logits?.get(id as Token);
  const max = next?.token == null ? undefined : next.logits?.get(next.token);
  if (logit === undefined || max === undefined || next?.totalLogitWeight === undefined) return undefined;
  return logit - max - Math.log(next.totalLogitWeight);
}

/**
 * Back to the end of the prompt. Where the state does not reach back to its first token any more (a sliding window that
 * dropped some, a recurrent state), the prompt is evaluated again.
 */
async function rewind(sequence: BranchSequence, prompt: readonly number[]): Promise<void> {
  if (sequence.stateCellsStartIndex === 0 && sequence.nextTokenIndex >= prompt.length)
    await sequence.eraseContextTokenRanges([{ start: prompt.length, end: sequence.nextTokenIndex }]);
  if (sequence.stateCellsStartIndex !== 0 || sequence.nextTokenIndex !== prompt.length) {
    await sequence.clearHistory();
    await sequence.controlledEvaluate(prompt as Token[]);
  }
  if (sequence.nextTokenIndex !== prompt.length) throw new Error('the sequence could not be cut back to its prompt');
}
