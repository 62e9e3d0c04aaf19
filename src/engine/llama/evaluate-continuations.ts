import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from 'node-llama-cpp';
import type { TextEvaluation, TextRow } from '../backend.js';
import { branchPaths, startsWith } from '../branch-paths.js';

/** What branching needs of a sequence of llama.cpp. */
export type BranchSequence = Pick<
  LlamaContextSequence,
  'controlledEvaluate' | 'eraseContextTokenRanges' | 'clearHistory' | 'nextTokenIndex' | 'stateCellsStartIndex'
>;

/** One row on its way: what is read goes into `logProbs`, option by option. */
interface Branching {
  readonly sequence: BranchSequence;
  readonly row: TextRow;
  readonly paths: readonly (readonly number[])[];
  readonly logProbs: (number | undefined)[][];
  error: string | null;
}

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

/** What one row does in one pass: `input` is evaluated, and token j of option k is read at position `at` of it. */
interface Lap {
  readonly state: Branching;
  readonly input: readonly number[];
  readonly readings: readonly { readonly k: number; readonly j: number; readonly at: number }[];
}

/** The prompt after its kept tokens, and the first path: token 0 of every option is read where the prompt ends. */
function firstLap(state: Branching, kept: number): Lap {
  const rest = state.row.tokens.slice(kept);
  const path = state.paths[0]!;
  return { state, input: [...rest, ...path], readings: readingsOn(path, state.row, 0, rest.length - 1) };
}

/**
 * The rows with a path left. One alone would take other kernels than several, so another keeps it company: it goes over
 * its last path again, and nothing is read there.
 */
function lapsOf(states: readonly Branching[], pass: number): Lap[] {
  const sound = states.filter((state) => state.error === null);
  const laps = sound
    .filter((state) => state.paths.length > pass)
    .map((state): Lap => {
      const path = state.paths[pass]!;
      return { state, input: path, readings: readingsOn(path, state.row, 1, -1) };
    });
  const companion = laps.length === 1 ? sound.find((state) => state !== laps[0]!.state) : undefined;
  if (companion !== undefined) laps.push({ state: companion, input: companion.paths.at(-1)!, readings: [] });
  return laps;
}

/** Token j (from `from` on) of every option that begins with the path's first j tokens, read `offset + j` in. */
function readingsOn(path: readonly number[], { continuations }: TextRow, from: number, offset: number) {
  return continuations.flatMap((tokens, k) =>
    tokens.flatMap((_, j) =>
      j >= from && j <= path.length && startsWith(path, tokens.slice(0, j)) ? [{ k, j, at: offset + j }] : [],
    ),
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
