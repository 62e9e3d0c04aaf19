import type { Card } from '../../contract/device.js';
import type { CardGroup } from '../memory/cards-needed.js';
import type { WorkPiece } from './model-work.js';

/** Rows are given back once the work since the start is worth so many starts, and so is what is left. */
const STARTS = 2;
/** With fewer rows left, the batches in hand are most of them. */
const FEW_ROWS = 128;

/** Rows of a model on their way on some cards. */
export class CardRun {
  readonly #stop = new AbortController();
  readonly #started: number;
  #firstRows: number | null = null;

  constructor(
    readonly piece: WorkPiece,
    readonly group: CardGroup,
    readonly cards: readonly Card[],
    private readonly now: () => number,
  ) {
    this.#started = now();
  }

  /** Fires when the rows that are left are wanted back. */
  get divided(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the run after the rows in hand. */
  divide(): void {
    this.#stop.abort();
  }

  noteRows(): void {
    this.#firstRows ??= this.now();
  }

  seconds(): number {
    return (this.now() - this.#started) / 1000;
  }

  /** By the speed since the first rows. */
  millisecondsLeft(): number {
    if (this.#firstRows === null) return 0;
    const left = this.piece.rowsLeft();
    return ((this.now() - this.#firstRows) / Math.max(1, this.piece.rows() - left)) * left;
  }

  /** To divide costs another load of the model: the work since the last one, and what is left, must be worth it. */
  worthDividing(): boolean {
    if (this.#firstRows === null || this.piece.rowsLeft() < FEW_ROWS) return false;
    const startup = this.#firstRows - this.#started;
    return this.now() - this.#firstRows >= STARTS * startup && this.millisecondsLeft() >= STARTS * startup;
  }
}
