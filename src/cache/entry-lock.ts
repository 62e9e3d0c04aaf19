import { readFile, rm, rmdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { SupportCalError } from '../errors/supportcal-error.js';
import { makeFolder } from '../files/make-folder.js';
import { writeFailed } from '../files/write-failed.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';

export interface LockOptions {
  /** Called once when another live process holds the entry and this one begins to wait. */
  readonly onMessage?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two tries. */
  readonly pollMs?: number;
}

export interface EntryLock {
  /** Throws SupportCalError cache-busy when the lock was lost (a machine that slept; a folder removed by hand). */
  assertHeld(): void;
  release(): Promise<void>;
}

/** Who holds a lock, and which lock: a lock made later under the same name has another inode or birth time. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly lock: string;
}

/** Without a sign of life for this long a lock is taken over, whoever made it (another host, a reused process id). */
const STALE_MS = 30_000;
const UPDATE_MS = 5_000;
const POLL_MS = 200;

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
    const lock = await tryLock(target);
    if (lock !== null) return lock;
    if (await removeDeadLock(target)) continue;
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

async function tryLock(target: string): Promise<EntryLock | null> {
  let lost: Error | null = null;
  const release = await acquire(target, (error) => {
    lost = error;
  });
  if (release === null) return null;
  await writeFileAtomic(ownerFile(target), JSON.stringify(await ownerNow(target))).catch(async (error) => {
    await release().catch(() => undefined);
    throw error;
  });
  return {
    assertHeld() {
      if (lost !== null) {
        throw new SupportCalError(
          'cache-busy',
          { file: target, message: 'the lock of this entry was lost; run again to go on' },
          { cause: lost },
        );
      }
    },
    async release() {
      if (lost !== null) return;
      await rm(ownerFile(target), { force: true }).catch(() => undefined);
      await release().catch(() => undefined);
    },
  };
}

async function acquire(target: string, onCompromised: (error: Error) => void): Promise<(() => Promise<void>) | null> {
  try {
    return await lockfile.lock(target, {
      realpath: false,
      stale: STALE_MS,
      update: UPDATE_MS,
      retries: 0,
      onCompromised,
    });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ELOCKED') return null;
    throw writeFailed(`${target}.lock`, cause);
  }
}

/**
 * Removes the lock of a dead process of this host. Only the holder of a second lock may do so, or a waiter that looked
 * a moment earlier could remove the lock that another waiter has just taken.
 */
async function removeDeadLock(target: string): Promise<boolean> {
  if (!(await isDead(target))) return false;
  const release = await acquire(`${target}.takeover`, () => undefined);
  if (release === null) return false;
  try {
    if (!(await isDead(target))) return false;
    await rm(ownerFile(target), { force: true });
    await rmdir(`${target}.lock`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw writeFailed(`${target}.lock`, error);
  } finally {
    await release().catch(() => undefined);
  }
}

async function isDead(target: string): Promise<boolean> {
  const owner = await readOwner(target);
  if (owner === null || owner.host !== hostname() || owner.lock !== (await lockStamp(target))) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

async function ownerNow(target: string): Promise<Owner> {
  return { pid: process.pid, host: hostname(), lock: (await lockStamp(target)) ?? '' };
}

async function readOwner(target: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(ownerFile(target), 'utf8'));
  } catch {
    return null;
  }
}

async function lockStamp(target: string): Promise<string | null> {
  const stats = await stat(`${target}.lock`, { bigint: true }).catch(() => null);
  return stats === null ? null : `${stats.ino}:${stats.birthtimeNs}`;
}

function ownerFile(target: string): string {
  return `${target}.owner`;
}
