import type { LlamaContextSequence } from 'node-llama-cpp';
import type { Reading } from '../../protocol/backend.js';

/** What branching needs of a sequence of llama.cpp. */
export type BranchSequence = Pick<
  LlamaContextSequence,
  'controlledEvaluate' | 'eraseContextTokenRanges' | 'clearHistory' | 'nextTokenIndex' | 'stateCellsStartIndex'
>;

/** The logits of `ids` are wanted after token `at` of a path; -1: after the stem, on the first path only. */
export interface BranchReading {
  readonly at: number;
  readonly ids: readonly number[];
  readonly take: (reading: Reading) => void;
}

/** Tokens that follow the stem; only the first path of a row may be empty. */
interface BranchPath {
  readonly tokens: readonly number[];
  readonly readings: readonly BranchReading[];
}

/** A stem with the paths that branch from it. */
export interface BranchRow {
  readonly stem: readonly number[];
  readonly paths: readonly BranchPath[];
}

/** One row on its way. */
export interface Branching extends BranchRow {
  readonly sequence: BranchSequence;
  error: string | null;
}

/** What a pass needs of a row. */
type LapState = Pick<Branching, 'sequence' | 'stem' | 'error'>;

/** What one row does in one pass: `input` is evaluated, and each reading is taken at position `at` of it. */
export interface Lap<State extends LapState = LapState> {
  readonly state: State;
  readonly input: readonly number[];
  readonly readings: readonly BranchReading[];
}

/** The stem after its kept tokens, and the first path. */
export function firstLap(state: Branching, kept: number): Lap {
  const rest = state.stem.slice(kept);
  const [path] = state.paths;
  const readings = (path?.readings ?? []).map((reading) => ({ ...reading, at: reading.at + rest.length }));
  return { state, input: [...rest, ...(path?.tokens ?? [])], readings };
}

/**
 * The rows with a path left. One alone would take other kernels than several, so another keeps it company: it goes over
 * its last path again, and nothing is read there.
 */
export function lapsOf(states: readonly Branching[], pass: number): Lap[] {
  const sound = states.filter((state) => state.error === null);
  const laps = sound.flatMap((state): Lap[] => {
    const path = state.paths[pass];
    return path === undefined ? [] : [{ state, input: path.tokens, readings: path.readings }];
  });
  const companion = laps.length === 1 ? sound.find((state) => state !== laps[0]?.state) : undefined;
  if (companion === undefined) return laps;
  return [...laps, { state: companion, input: companion.paths.at(-1)?.tokens ?? [], readings: [] }];
}
