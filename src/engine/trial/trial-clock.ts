/** A batch that is under way: what it counts, and when it began, in milliseconds. */
export interface BegunBatch {
  readonly work: number;
  readonly from: number;
}

/**
 * The pace of a trial, from when its batches begin and end. At the end contexts run out of batches one after the other;
 * a trial has a few rounds of them where a run has hundreds, so that what is counted ends as the first context is idle,
 * and of batches that are under way then, counted is the part of their time that lies before it.
 */
export class TrialClock {
  readonly #ended: (BegunBatch & { readonly to: number })[] = [];
  readonly #start: number;
  #firstIdle = Number.POSITIVE_INFINITY;
  #begun = 0;

  /** @param now milliseconds */
  constructor(now: number) {
    this.#start = now;
  }

  /** Batches that have begun. */
  get begun(): number {
    return this.#begun;
  }

  /** @param work in any unit, say tokens */
  begin(work: number, now: number): BegunBatch {
    this.#begun++;
    return { work, from: now };
  }

  end(batch: BegunBatch, now: number): void {
    this.#ended.push({ ...batch, to: now });
  }

  /** A context begins no more batches. */
  idle(now: number): void {
    this.#firstIdle = Math.min(this.#firstIdle, now);
  }

  /**
   * Work in a millisecond at the pace of a long run; 0 where nothing has ended.
   *
   * @param contexts where no more batches than that have begun, all began at once, and there is no pace but that of all
   */
  pace(contexts: number): number {
    const last = Math.max(...this.#ended.map(({ to }) => to), this.#start);
    if (this.#begun <= contexts) return perMs(sum(this.#ended.map(({ work }) => work)), last - this.#start);
    const until = Math.min(last, this.#firstIdle);
    const before = this.#ended.map(({ work, from, to }) =>
      to <= from ? work : (work * Math.max(0, Math.min(to, until) - from)) / (to - from),
    );
    return perMs(sum(before), until - this.#start);
  }
}

function perMs(work: number, ms: number): number {
  return ms > 0 ? work / ms : 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
