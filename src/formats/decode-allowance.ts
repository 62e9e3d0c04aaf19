import type { DecodeWork } from './binary/decoder.js';

/** Milliseconds that passed, and that the processors of this process worked in them. */
export interface WorkClock {
  readonly wall: () => number;
  readonly worked: () => number;
}

/** A decoder that is slower than this does not get on; the usual ones are 50 times as fast. */
const CELLS_PER_MILLISECOND = 20;
const BYTES_PER_MILLISECOND = 2_000;
/** A damaged length may promise any amount of work. */
const MOST_MILLISECONDS = 600_000;
/** A busy machine, or a slow disk, may make a decoder wait for so many times the work. */
const MOST_WAITING = 20;

/** How long one step of decoding may take. */
export interface DecodeAllowance {
  /** Lets the step take longer, by the work that it turned out to be. */
  extend(work: DecodeWork): void;
  /** Milliseconds of work that the step may take in all. */
  total(): number;
  /** Milliseconds until the step is over its limit at the earliest; 0 or less where it is. */
  left(): number;
}

/**
 * The time for one step of decoding, which follows the rows and the unpacked bytes of the step: a file of few bytes may
 * hold millions of rows. It counts what the processors of this process did, so that a busy machine makes no file a
 * damaged one.
 *
 * @param milliseconds for any step
 */
export function decodeAllowance(milliseconds: number, clock: WorkClock = CLOCK): DecodeAllowance {
  const [wall, worked] = [clock.wall(), clock.worked()];
  let extra = 0;
  const total = () => milliseconds + Math.min(extra, MOST_MILLISECONDS);
  return {
    extend({ cells, bytes }) {
      extra += cells / CELLS_PER_MILLISECOND + bytes / BYTES_PER_MILLISECOND;
    },
    total,
    left() {
      const passed = clock.wall() - wall;
      // What the other threads did counts too: never more than that passed in time.
      const done = Math.min(passed, clock.worked() - worked);
      return Math.min(total() - done, total() * MOST_WAITING - passed);
    },
  };
}

const CLOCK: WorkClock = {
  wall: () => performance.now(),
  worked: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};
