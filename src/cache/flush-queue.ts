import { flushFolder } from '../files/flush-folder.js';

/**
 * Parts that may wait for the disk, or for the flush of their folder; more would only be more to lose in a power cut.
 */
const MOST_UNFLUSHED = 4;

export interface FlushQueue {
  /** Resolves when another part may wait. Rejects when a flush failed. */
  room(): Promise<void>;
  add(flush: () => Promise<void>): void;
  /** Resolves when all that was added lasts. Rejects when a flush failed. */
  done(): Promise<void>;
}

/** Flushes the parts of a folder one after the other while the next rows are evaluated, and the folder now and then. */
export function flushQueue(folder: string): FlushQueue {
  let last: Promise<void> = Promise.resolve();
  let [waiting, unnamed] = [0, 0];
  const flushNames = async () => {
    if (unnamed > 0) await flushFolder(folder);
    unnamed = 0;
  };
  return {
    room: async () => {
      if (waiting >= MOST_UNFLUSHED) await last;
    },
    add(flush) {
      waiting++;
      last = last.then(async () => {
        await flush();
        waiting--;
        unnamed++;
        if (unnamed >= MOST_UNFLUSHED) await flushNames();
      });
      // Whoever waits next hears of a failure.
      last.catch(() => undefined);
    },
    done: () => last.then(flushNames),
  };
}
