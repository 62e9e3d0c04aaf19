import type { ExpectedTime } from '../../pipeline/workspace/pipeline-events.js';

/** The expectation counts as so many seconds that went as expected: the first rows do not swing what is left. */
const PRIOR = 3;

/**
 * Seconds that a run still takes: what is left of the time that each model was expected to take, times how much longer
 * the part that is done took than expected. Models that start, or run side by side, or are faster than their files
 * said, all show in that ratio as soon as their rows come.
 */
export class TimeLeft {
  readonly #share = new Map<string, number>();
  readonly #began: number;

  /**
   * @param together what the run was expected to take, by the clock
   * @param now milliseconds of a clock
   */
  constructor(
    private readonly expected: ReadonlyMap<string, ExpectedTime>,
    private readonly together: number,
    private readonly now: () => number = Date.now,
  ) {
    this.#began = now();
  }

  /** Says how much of all rows of a model is done: 0 at its first rows, 1 at its end. */
  note(model: string, share: number): void {
    this.#share.set(model, Math.min(1, Math.max(share, this.#share.get(model) ?? 0)));
  }

  /** null: nothing is expected. */
  seconds(): number | null {
    const each = [...this.expected];
    const all = each.reduce((sum, [, { start, rows }]) => sum + start + rows, 0);
    if (all === 0) return null;
    const done = each.reduce((sum, [id, { start, rows }]) => {
      const share = this.#share.get(id);
      return share === undefined ? sum : sum + start + share * rows;
    }, 0);
    const byClock = (this.together * done) / all;
    const elapsed = (this.now() - this.#began) / 1000;
    if (done === 0) return Math.max(0, this.together - elapsed);
    return ((this.together - byClock) * (elapsed + PRIOR)) / (byClock + PRIOR);
  }
}
