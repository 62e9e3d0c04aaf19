/**
 * The pace of a trial, from when its batches begin and end. At the end contexts run out of batches one after the other;
 * a trial has a few rounds of them where a run has hundreds, so that what is counted ends as the last batch begins, and
 * of batches that are under way then, counted is the part of their time that lies before it.
 */
export class TrialClock {
  readonly #began = new Map<string, number>();
  readonly #batches: { readonly rows: number; readonly from: number; readonly to: number }[] = [];
  #start: number;
  #lastBegun: number;

  /** @param now milliseconds */
  constructor(now: number) {
    this.#start = now;
    this.#lastBegun = now;
  }

  /** Everything before does not count: what has begun begins now. */
  restart(now: number): void {
    this.#start = now;
    this.#lastBegun = now;
    this.#batches.length = 0;
    for (const id of this.#began.keys()) this.#began.set(id, now);
  }

  /** Prompts of a batch are about to be evaluated. */
  begin(ids: readonly string[], now: number): void {
    for (const id of ids) this.#began.set(id, now);
    this.#lastBegun = now;
  }

  end(ids: readonly string[], now: number): void {
    const from = Math.min(now, ...ids.map((id) => this.#began.get(id) ?? this.#start));
    this.#batches.push({ rows: ids.length, from, to: now });
    for (const id of ids) this.#began.delete(id);
  }

  /** Rows in so many seconds at the pace of a long run, and how many batches were seen. */
  pace(now: number): { readonly rows: number; readonly seconds: number; readonly batches: number } {
    const batches = this.#batches.length;
    const until = this.#lastBegun;
    const before = this.#batches.map(({ rows, from, to }) =>
      to <= from ? rows : (rows * Math.max(0, Math.min(to, until) - from)) / (to - from),
    );
    const rows = before.reduce((sum, each) => sum + each, 0);
    if (rows > 0) return { rows, seconds: (until - this.#start) / 1000, batches };
    // All batches began at once: there is no pace but that of the whole.
    return {
      rows: this.#batches.reduce((sum, each) => sum + each.rows, 0),
      seconds: (now - this.#start) / 1000,
      batches,
    };
  }
}
