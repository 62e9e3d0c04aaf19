import PQueue from 'p-queue';

/** Answers between two looks at the speed. */
const WINDOW = 32;
/** Slower than the best window by this factor: more requests at a time only wait for each other. */
const SLOWER = 2;

/**
 * A queue of requests whose width follows the server: it begins with 4 at a time, widens by half while answers come as
 * fast as before, narrows where they take twice as long, and halves when the server says that it is busy.
 */
export class AdaptiveQueue {
  readonly #queue: PQueue;
  #times: number[] = [];
  #bestMs = Number.POSITIVE_INFINITY;
  #busyAt = Number.NEGATIVE_INFINITY;
  #answers = 0;

  constructor(private readonly widest: number) {
    this.#queue = new PQueue({ concurrency: Math.min(4, widest) });
  }

  get width(): number {
    return this.#queue.concurrency;
  }

  /** Resolves once the task may start; then with its result. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.#queue.add(task);
  }

  /** Resolves when a further task would start soon. */
  room(): Promise<void> {
    return this.#queue.onSizeLessThan(this.#queue.concurrency + 1);
  }

  answered(milliseconds: number): void {
    this.#answers++;
    this.#times.push(milliseconds);
    if (this.#times.length < WINDOW) return;
    const median = this.#times.sort((a, b) => a - b)[WINDOW / 2] ?? milliseconds;
    this.#times = [];
    // The time of an answer grows in proportion once the server is full, so that one request's time tells nothing
    // alone.
    const perRequest = median / this.width;
    if (perRequest > SLOWER * this.#bestMs) this.#setWidth(Math.floor(this.width * 0.75));
    else this.#setWidth(Math.ceil(this.width * 1.5));
    this.#bestMs = Math.min(this.#bestMs, perRequest);
  }

  /** Halves the width; once for all the requests that were under way then. */
  busy(): void {
    if (this.#answers - this.#busyAt < this.width) return;
    this.#busyAt = this.#answers;
    this.#times = [];
    this.#setWidth(Math.floor(this.width / 2));
  }

  #setWidth(width: number): void {
    this.#queue.concurrency = Math.max(1, Math.min(this.widest, width));
  }
}
