import { type EntryLock, lockSeeker } from './entry-lock.js';

/** Takes the lock of a target when nobody holds it, or whoever does is gone; null: held. Never waits. */
export type LockSeekers = (target: string) => Promise<EntryLock | null>;

/**
 * Seekers of many locks. Each lock is watched from its first look on, so that the run of another host that is gone is
 * found out over several calls; a run keeps one of these as long as it looks for work.
 *
 * @param now milliseconds that only go forward; for tests
 */
export function lockSeekers(now?: () => number): LockSeekers {
  const seekers = new Map<string, () => Promise<EntryLock | null>>();
  return (target) => {
    const seeker = seekers.get(target) ?? lockSeeker(target, now);
    seekers.set(target, seeker);
    return seeker();
  };
}
