import { SupportCalError } from '../../src/errors/supportcal-error.js';
import type { Random } from './random.js';

/** How one mutated input ended. */
export type Ending =
  /** Accepted; everything that can be compared was equal. */
  | 'accepted'
  /** A changed value in a format that has no checksum: nobody could tell. */
  | 'accepted, no checksum'
  /** Refused with this documented code, or found damaged. */
  | `refused: ${string}`;

/** A part of the program that reads what others wrote. */
export interface FuzzTarget {
  readonly name: string;
  /** Writes what all cases share into an empty folder. */
  prepare?(folder: string): Promise<void>;
  /**
   * Mutates, reads, compares. Throws whatever the reader throws; a WrongRow for an accepted input that reads as
   * another.
   */
  run(random: Random, folder: string): Promise<Ending>;
  /** The way a file goes in a run, with its limits of time and memory, for a case that hangs without them. */
  replay?(random: Random, folder: string): Promise<Ending>;
}

export class WrongRow extends Error {}

/** Codes that input of a user may end in. */
const DOCUMENTED = new Set(['usage', 'bad-input', 'missing-file', 'missing-scores', 'cache-damaged']);

/** Runs one case to its ending; anything else than a result or a well-formed refusal is thrown. */
export async function settle(run: () => Promise<Ending>): Promise<Ending> {
  try {
    const ending = await run();
    if (({} as { tau?: unknown; polluted?: unknown }).tau !== undefined) throw new WrongRow('Object.prototype changed');
    return ending;
  } catch (error) {
    if (!(error instanceof SupportCalError)) throw error;
    if (!DOCUMENTED.has(error.code)) throw new Error(`the code "${error.code}" is none of bad input`, { cause: error });
    const vague = error.faults.find((fault) => fault.message.trim() === '' || fault.file === undefined);
    if (vague !== undefined || error.faults.length === 0)
      throw new Error('a fault without file or message', { cause: error });
    if (error.faults.some(({ line }) => line !== undefined && !(line >= 1)))
      throw new Error(`a fault on line ${error.line}`);
    return `refused: ${error.code}`;
  }
}
