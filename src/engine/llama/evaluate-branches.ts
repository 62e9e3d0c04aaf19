import type { ControlledEvaluateInputItem, Token } from 'node-llama-cpp';
import { type Branching, type BranchRow, type BranchSequence, firstLap, type Lap, lapsOf } from './branch-laps.js';
import { logitRequest, readingOf } from './read-logits.js';
import { sequenceAt } from './sequence-at.js';

/**
 * Evaluates stems and the paths that branch from them; every reading is taken on the way. Row n goes to sequence n,
 * where the first `kept` tokens of its stem are evaluated already. The rest of the stem is evaluated once, with the
 * row's first path right after it; each further path branches from the kept stem.
 *
 * @param cells tokens that one sequence may hold
 * @returns per row null, or why it failed; the others go on
 */
export async function evaluateBranches(
  sequences: readonly BranchSequence[],
  rows: readonly BranchRow[],
  kept: number,
  cells = Number.POSITIVE_INFINITY,
): Promise<(string | null)[]> {
  const states = rows.map((row, n): Branching => ({ ...row, sequence: sequenceAt(sequences, n), error: null }));
  await evaluateTogether(
    states.map((state) => firstLap(state, kept)),
    cells,
  );
  const passes = Math.max(...states.map(({ paths }) => paths.length));
  for (let pass = 1; pass < passes; pass++) {
    const laps = lapsOf(states, pass);
    await Promise.all(laps.map(({ state }) => attempt(state, () => rewind(state))));
    await evaluateTogether(laps, cells);
  }
  return states.map(({ error }) => error);
}

/** Queues all rows in one turn, filled up to one length, so that llama.cpp evaluates them in one pass. */
export async function evaluateTogether(laps: readonly Lap[], cells: number): Promise<void> {
  const padded = Math.max(...laps.map(({ input }) => input.length));
  await Promise.all(laps.map((lap) => attempt(lap.state, () => evaluateLap(lap, padded, cells))));
}

/** Does the work of a row unless it has failed before; that it fails is kept with it. */
export async function attempt(state: Lap['state'], work: () => Promise<void>): Promise<void> {
  if (state.error !== null) return;
  try {
    await work();
  } catch (error) {
    state.error = error instanceof Error ? error.message : String(error);
  }
}

async function evaluateLap({ state, input, readings }: Lap, padded: number, cells: number): Promise<void> {
  const { sequence, stem } = state;
  const wanted = new Map<number, number[]>();
  for (const { at, ids } of readings) wanted.set(at, [...(wanted.get(at) ?? []), ...ids]);
  const items = input.map((token, position): ControlledEvaluateInputItem => {
    const ids = wanted.get(position);
    return ids === undefined ? (token as Token) : [token as Token, { generateNext: logitRequest(ids) }];
  });
  // The filler stands after every position that is read, and only as far as a cell is left, since a full sequence
  // would shift.
  const length = Math.min(padded, cells - 1 - sequence.nextTokenIndex);
  while (items.length < length) items.push((input.at(-1) ?? stem.at(-1)) as Token);
  const output = await sequence.controlledEvaluate(items);
  for (const { at, ids, take } of readings) take(readingOf(output[at]?.next, ids));
}

/**
 * Back to the end of the stem. Where the state does not reach back to its first token any more (a sliding window that
 * dropped some, a recurrent state), the stem is evaluated again.
 */
export async function rewind({ sequence, stem }: Pick<Branching, 'sequence' | 'stem'>): Promise<void> {
  if (sequence.stateCellsStartIndex === 0 && sequence.nextTokenIndex >= stem.length)
    await sequence.eraseContextTokenRanges([{ start: stem.length, end: sequence.nextTokenIndex }]);
  if (sequence.stateCellsStartIndex !== 0 || sequence.nextTokenIndex !== stem.length) {
    await sequence.clearHistory();
    if (stem.length > 0) await sequence.controlledEvaluate(stem as Token[]);
  }
  if (sequence.nextTokenIndex !== stem.length) throw new Error('the sequence could not be cut back to its prompt');
}
