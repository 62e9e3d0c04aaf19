/** What a lease has shown. */
export interface ScoredLease {
  readonly ranges: number;
  /** From the start to the first row: the weights are loaded and the contexts opened once a lease. */
  readonly loadMs: number;
  readonly totalMs: number;
}

const FIRST = 32;
const MOST = 512;
/** Loading may take this share of a lease. */
const LOAD_SHARE = 0.05;

/**
 * How many ranges a worker takes at a time: so many that loading the model takes a twentieth of the time, but no more
 * than half of what waits, so that others find some when the queue ends.
 */
export function leaseSize(): { next(waiting: number): number; learn(lease: ScoredLease): void } {
  let wanted = FIRST;
  return {
    next: (waiting) => Math.max(1, Math.min(wanted, Math.ceil(waiting / 2))),
    learn({ ranges, loadMs, totalMs }) {
      const perRange = Math.max(1, totalMs - loadMs) / Math.max(1, ranges);
      wanted = Math.max(FIRST, Math.min(MOST, Math.ceil(loadMs / LOAD_SHARE / perRange)));
    },
  };
}
