import { rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { SupportCalError } from '../errors/supportcal-error.js';
import { makeFolder } from '../files/make-folder.js';
import { writeFailed } from '../files/write-failed.js';
import { ownerIsDead, readOwner, removeOwner, stillOwns, writeOwner } from './lock-owner.js';

export interface LockOptions {
  /** Called once when another live process holds the entry and this one begins to wait. */
  readonly onMessage?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two tries. */
  readonly pollMs?: number;
}

export interface EntryLock {
  /** Rejects with SupportCalError cache-busy when the lock was lost (a machine that slept; a folder removed by hand). */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/** Without a sign of life for this long a lock is taken over, whoever made it (another host; a process without a note). */
const STALE_MS = 30_000;
const UPDATE_MS = 5_000;
const POLL_MS = 200;

/** The package removes stale locks on its own, but two waiters that do so at once can both end with the lock. */
const NEVER_MS = 2 ** 52;

/**
 * Takes the lock `<target>.lock`, waiting as long as a live process holds it. The lock of a process of this host that
 * is dead is taken over at once.
 *
 * @throws SupportCalError interrupted (signal), write-failed (read-only or full disk)
 */
export async function lockEntry(target: string, options: LockOptions = {}): Promise<EntryLock> {
  let told = false;
  await makeFolder(dirname(target));
  for (;;) {
    if (options.signal?.aborted) throw new SupportCalError('interrupted', 'stopped while waiting for another run');
    const lock = await tryLockEntry(target);
    if (lock !== null) return lock;
    if (!told) {
      const owner = await readOwner(target);
      const who = owner === null ? 'another run' : `process ${owner.pid} on ${owner.host}`;
      options.onMessage?.(`waiting for ${who}, which holds ${target}`);
      told = true;
    }
    await sleep(options.pollMs ?? POLL_MS, undefined, options.signal ? { signal: options.signal } : {}).catch(
      () => undefined,
    );
  }
}

/** The lock, taken over from a dead run if need be; null while a live process holds it. */
export async function tryLockEntry(target: string): Promise<EntryLock | null> {
  const lock = await takeFree(target);
  if (lock !== null || !(await removeDeadLock(target))) return lock;
  return takeFree(target);
}

/** Whether a lock folder has shown no sign of life for so long that its holder must be gone. */
export async function isStale(lockFolder: string): Promise<boolean> {
  const stats = await stat(lockFolder).catch(() => null);
  return stats !== null && Date.now() - stats.mtimeMs > STALE_MS;
}

async function takeFree(target: string): Promise<EntryLock | null> {
  let lost: Error | null = null;
  const release = await acquire(target, NEVER_MS, (error) => {
    lost = error;
  });
  if (release === null) return null;
  const owner = await writeOwner(target).catch(async (error) => {
    await release().catch(() => undefined);
    throw error;
  });
  const isHeld = async () => lost === null && (await stillOwns(target, owner));
  return {
    async assertHeld() {
      if (await isHeld()) return;
      throw new SupportCalError(
        'cache-busy',
        { file: target, message: 'the lock of this entry was lost; run again to go on' },
        { cause: lost },
      );
    },
    async release() {
      if (!(await isHeld())) return;
      await removeOwner(target).catch(() => undefined);
      await release().catch(() => undefined);
    },
  };
}

async function acquire(
  target: string,
  stale: number,
  onCompromised: (error: Error) => void,
): Promise<(() => Promise<void>) | null> {
  try {
    return await lockfile.lock(target, { realpath: false, stale, update: UPDATE_MS, retries: 0, onCompromised });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ELOCKED') return null;
    throw writeFailed(`${target}.lock`, cause);
  }
}

/**
 * Removes the lock of a run that is gone. Only the holder of a second lock may do so, or a waiter that looked a moment
 * earlier could remove the lock that another waiter has just taken.
 */
async function removeDeadLock(target: string): Promise<boolean> {
  if (!(await isGone(target))) return false;
  const release = await acquire(`${target}.takeover`, STALE_MS, () => undefined);
  if (release === null) return false;
  try {
    if (!(await isGone(target))) return false;
    await removeOwner(target);
    await rmdir(`${target}.lock`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw writeFailed(`${target}.lock`, error);
  } finally {
    await release().catch(() => undefined);
  }
}

async function isGone(target: string): Promise<boolean> {
  return (await ownerIsDead(target)) || (await isStale(`${target}.lock`));
}
