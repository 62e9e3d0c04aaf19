import type { LlamaContextSequence } from 'node-llama-cpp';
import type { TextRow } from '../backend.js';
import { startsWith } from '../branch-paths.js';

/** What branching needs of a sequence of llama.cpp. */
export type BranchSequence = Pick<
  LlamaContextSequence,
  'controlledEvaluate' | 'eraseContextTokenRanges' | 'clearHistory' | 'nextTokenIndex' | 'stateCellsStartIndex'
>;

/** One row on its way: what is read goes into `logProbs`, option by option. */
export interface Branching {
  readonly sequence: BranchSequence;
  readonly row: TextRow;
  readonly paths: readonly (readonly number[])[];
  readonly logProbs: (number | undefined)[][];
  error: string | null;
}

/** What one row does in one pass: `input` is evaluated, and token j of option k is read at position `at` of it. */
export interface Lap {
  readonly state: Branching;
  readonly input: readonly number[];
  readonly readings: readonly { readonly k: number; readonly j: number; readonly at: number }[];
}

/** The prompt after its kept tokens, and the first path: token 0 of every option is read where the prompt ends. */
export function firstLap(state: Branching, kept: number): Lap {
  const rest = state.row.tokens.slice(kept);
  const path = state.paths[0]!;
  return { state, input: [...rest, ...path], readings: readingsOn(path, state.row, 0, rest.length - 1) };
}

/**
 * The rows with a path left. One alone would take other kernels than several, so another keeps it company: it goes over
 * its last path again, and nothing is read there.
 */
export function lapsOf(states: readonly Branching[], pass: number): Lap[] {
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
