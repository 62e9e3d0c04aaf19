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
  await evaluateTogether(states, 0, (state) => [...state.row.tokens.slice(kept), ...state.paths[0]!]);
  const passes = Math.max(...states.map(({ paths }) => paths.length));
  for (let pass = 1; pass < passes; pass++) {
    const active = takingPart(states, pass);
    await Promise.all(active.map((state) => attempt(state, () => rewind(state.sequence, state.row.tokens))));
    // Who only keeps another company goes over its last path again: nothing new is read there.
    await evaluateTogether(active, pass, (state) => state.paths[pass] ?? state.paths.at(-1)!);
  }
  return states.map(({ error, logProbs }) =>
    error === null ? { kind: 'logProbs', logProbs } : { kind: 'error', message: error },
  );
}

/** The rows with a path left. One alone would take other kernels than several, so another keeps it company. */
function takingPart(states: readonly Branching[], pass: number): Branching[] {
  const sound = states.filter((state) => state.error === null);
  const active = sound.filter((state) => state.paths.length > pass);
  const companion = active.length === 1 ? sound.find((state) => state !== active[0]) : undefined;
  return companion === undefined ? active : [...active, companion];
}

/** Queues all rows in one turn, filled up to one length, so that llama.cpp evaluates them in one pass. */
async function evaluateTogether(
  states: readonly Branching[],
  pass: number,
  tokensOf: (state: Branching) => readonly number[],
): Promise<void> {
  const inputs = states.map(tokensOf);
  const padded = Math.max(...inputs.map((input) => input.length));
  await Promise.all(
    states.map((state, n) => attempt(state, () => readPath(state, state.paths[pass] ?? [], inputs[n]!, padded))),
  );
}

async function attempt(state: Branching, work: () => Promise<void>): Promise<void> {
  if (state.error !== null) return;
  try {
    await work();
  } catch (error) {
    state.error = error instanceof Error ? error.message : String(error);
  }
}

/** @param input tokens to evaluate, `path` at their end; filler follows them, after every position that is read */
async function readPath(
  { sequence, row, logProbs }: Branching,
  path: readonly number[],
  input: readonly number[],
  padded: number,
): Promise<void> {
  // Position in `input` after which token 0 of a continuation is read; -1: it was read before.
  const last = input.length - path.length - 1;
  const wanted = path.length === 0 && last < 0 ? [] : readings(row, path, last < 0 ? 1 : 0);
  const items: ControlledEvaluateInputItem[] = input.map((token, at) => {
    const ids = wanted.filter(({ j }) => last + j === at).map(({ k, j }) => row.continuations[k]![j]!);
    return ids.length === 0 ? (token as Token) : [token as Token, { generateNext: request(ids) }];
  });
  while (items.length < padded) items.push((input.at(-1) ?? row.tokens.at(-1)!) as Token);
  const output = await sequence.controlledEvaluate(items);
  for (const { k, j } of wanted) logProbs[k]![j] = logProb(output[last + j]?.next, row.continuations[k]![j]!);
}

/** Option k's token j follows the first j tokens of the path. */
function readings({ continuations }: TextRow, path: readonly number[], from: number): { k: number; j: number }[] {
  return continuations.flatMap((tokens, k) =>
    tokens.flatMap((_, j) => (j >= from && j <= path.length && startsWith(path, tokens.slice(0, j)) ? [{ k, j }] : [])),
  );
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
