import type { ControlledEvaluateInputItem, Token } from 'node-llama-cpp';
import type { NativePart, PassesEvaluator } from '../../library/evaluate-natively.js';
import type { Reading } from '../../protocol/backend.js';
import { passesOf } from '../passes-of.js';
import { logitRequest, readingOf } from '../read-logits.js';
import { sequenceAt } from '../sequence-at.js';
import { type Branching, type BranchRow, type BranchSequence, firstLap, type Lap, lapsOf } from './branch-laps.js';

/** What the branches of a call have in common. */
export interface BranchContext {
  /** Tokens at the beginning of every row that its sequence holds already. */
  readonly kept: number;
  /** Tokens that one sequence may hold. */
  readonly cells: number;
  /** Most tokens of one pass. */
  readonly batchSize: number;
  /** Evaluates all passes in one call; null or absent: the library does, pass by pass. */
  readonly evaluateNatively?: PassesEvaluator | null;
}

/**
 * Evaluates stems and the paths that branch from them; every reading is taken on the way. Row n goes to sequence n. The
 * rest of its stem is evaluated once, with the row's first path right after it; each further path branches from the
 * kept stem. The rows may be more than one pass holds: their stems then take several, and their paths, which are
 * shorter, share one all the same.
 *
 * @returns per row null, or why it failed; the others go on
 */
export async function evaluateBranches(
  sequences: readonly BranchSequence[],
  rows: readonly BranchRow[],
  context: BranchContext,
): Promise<(string | null)[]> {
  const states = rows.map((row, n): Branching => ({ ...row, sequence: sequenceAt(sequences, n), error: null }));
  const lapsAt = (pass: number) =>
    pass === 0 ? states.map((state) => firstLap(state, context.kept)) : lapsOf(states, pass);
  const passes = Array.from({ length: Math.max(...states.map(({ paths }) => paths.length)) }, (_, pass) => pass);
  if (!(await evaluateAtOnce(passes.map(lapsAt), context)))
    for (const pass of passes) {
      const laps = lapsAt(pass);
      if (pass > 0) await Promise.all(laps.map(({ state }) => attempt(state, () => rewind(state))));
      await evaluateTogether(laps, context);
    }
  return states.map(({ error }) => error);
}

/** Where our own reader can: the same passes as otherwise, of which nothing is waited for in between. */
async function evaluateAtOnce(
  laps: readonly (readonly Lap[])[],
  { kept, cells, batchSize, evaluateNatively }: BranchContext,
): Promise<boolean> {
  if (!evaluateNatively) return false;
  const passes = laps.flatMap((together, n) =>
    filledPasses(together, batchSize).map(({ group, padded }) =>
      group.map((lap) => partOf(lap, n === 0 ? kept : lap.state.stem.length, { padded, cells })),
    ),
  );
  return await evaluateNatively(passes);
}

/** One row of logits is read once, whatever is asked of it. */
function partOf(
  { state, input, readings }: Lap,
  from: number,
  { padded, cells }: { readonly padded: number; readonly cells: number },
): NativePart {
  const ids = new Map<number, number[]>();
  const takers = readings.map(({ at, ids: wanted, take }) => {
    const known = ids.get(at) ?? [];
    ids.set(at, known);
    const first = known.push(...wanted) - wanted.length;
    return { at, take: (all: Reading) => take({ ...all, logits: all.logits.slice(first, first + wanted.length) }) };
  });
  return {
    sequence: state.sequence,
    from,
    // Company without a path of its own is filler from its first token on.
    tokens: input.length === 0 ? state.stem.slice(-1) : input,
    length: filledTo(padded, cells - from),
    readings: [...ids].map(([at, wanted]) => ({
      at,
      ids: wanted,
      take: (reading) => {
        for (const taker of takers) if (taker.at === at) attemptNow(state, () => taker.take(reading));
      },
    })),
  };
}

/** All rows in as few passes as hold them; the rows of a pass are queued in one turn, filled up to one length. */
export async function evaluateTogether(
  laps: readonly Lap[],
  { cells, batchSize }: Pick<BranchContext, 'cells' | 'batchSize'>,
): Promise<void> {
  for (const { group, padded } of filledPasses(laps, batchSize))
    await Promise.all(group.map((lap) => attempt(lap.state, () => evaluateLap(lap, padded, cells))));
}

/** The rows of each pass, and the length that they are filled up to. */
function filledPasses(laps: readonly Lap[], batchSize: number) {
  const lengthOf = ({ input }: Lap) => input.length;
  return passesOf(laps, lengthOf, batchSize).map((group) => ({ group, padded: Math.max(...group.map(lengthOf)) }));
}

/** Does the work of a row unless it has failed before; that it fails is kept with it. */
export async function attempt(state: Lap['state'], work: () => Promise<void>): Promise<void> {
  if (state.error !== null) return;
  try {
    await work();
  } catch (error) {
    fail(state, error);
  }
}

function attemptNow(state: Lap['state'], work: () => void): void {
  if (state.error !== null) return;
  try {
    work();
  } catch (error) {
    fail(state, error);
  }
}

function fail(state: Lap['state'], error: unknown): void {
  state.error = error instanceof Error ? error.message : String(error);
}

async function evaluateLap({ state, input, readings }: Lap, padded: number, cells: number): Promise<void> {
  const { sequence, stem } = state;
  const wanted = new Map<number, number[]>();
  for (const { at, ids } of readings) wanted.set(at, [...(wanted.get(at) ?? []), ...ids]);
  const items = input.map((token, position): ControlledEvaluateInputItem => {
    const ids = wanted.get(position);
    return ids === undefined ? (token as Token) : [token as Token, { generateNext: logitRequest(ids) }];
  });
  const length = filledTo(padded, cells - sequence.nextTokenIndex);
  while (items.length < length) items.push((input.at(-1) ?? stem.at(-1)) as Token);
  const output = await sequence.controlledEvaluate(items);
  for (const { at, ids, take } of readings) take(readingOf(output[at]?.next, ids));
}

/**
 * The filler stands after every position that is read, and only as far as a cell is left, since a full sequence would
 * shift.
 */
function filledTo(padded: number, cellsLeft: number): number {
  return Math.min(padded, cellsLeft - 1);
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
