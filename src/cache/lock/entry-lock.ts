import fs from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { notThere } from '../../errors/not-there.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { makeFolder } from '../../files/make-folder.js';
import { writeFailed } from '../../files/write-failed.js';
import { type LockOwner, lockStamp, ownerIsDead, readOwner, removeOwner, stillOwns, writeOwner } from './lock-owner.js';

export interface LockOptions {
  /** Called once when another live process holds the entry and this one begins to wait. */
  readonly onMessage?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two tries. */
  readonly pollMs?: number;
  /** Milliseconds that only go forward, whatever becomes of the date; for tests. */
  readonly now?: () => number;
}

export interface EntryLock {
  /**
   * Rejects with SupportCalError cache-busy when the lock was lost (a machine that slept; a folder removed by hand).
   */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Without a sign of life for this long a lock is taken over, whoever made it (another host; a process without a note).
 */
const STALE_MS = 30_000;
/**
 * Watched for this long is enough where the lock's date is that old already, which a clock that jumped also makes it.
 */
const WATCHED_MS = 12_000;
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
  const isGone = lockWatch(target, options.now);
  await makeFolder(dirname(target));
  for (;;) {
    if (options.signal?.aborted) throw new SupportCalError('interrupted', 'stopped while waiting for another run');
    const lock = await takeOver(target, isGone);
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

/**
 * The lock, taken over from a dead run if need be (one that looks dead is watched first); null while a live process
 * holds it.
 */
export async function tryLockEntry(
  target: string,
  { now, pollMs = POLL_MS }: Pick<LockOptions, 'now' | 'pollMs'> = {},
): Promise<EntryLock | null> {
  const isGone = lockWatch(target, now);
  let before = await signOfLife(target);
  for (;;) {
    const lock = await takeOver(target, isGone);
    if (lock !== null || !(await looksStale(`${target}.lock`))) return lock;
    await sleep(pollMs);
    const after = await signOfLife(target);
    if (after !== before && after !== null) return null;
    before = after;
  }
}

/**
 * A function that takes the lock if it can at once, and else says null. It watches the lock from call to call, by the
 * same rules as `lockEntry`: who asks now and then for long enough takes over from a run that is gone.
 */
export function lockSeeker(target: string, now?: () => number): () => Promise<EntryLock | null> {
  const isGone = lockWatch(target, now);
  return async () => {
    await makeFolder(dirname(target));
    return takeOver(target, isGone);
  };
}

/** Whether the date of a lock folder is so old that its holder must be gone, unless the clock was set. */
export async function looksStale(lockFolder: string): Promise<boolean> {
  const stats = await stat(lockFolder).catch(() => null);
  return stats !== null && Date.now() - stats.mtimeMs > STALE_MS;
}

/**
 * Watches a lock by a clock of its own, since a date tells nothing once the machine's clock was set, slept or is not
 * the other host's. Each call looks again: true when the holder is dead or has changed nothing for long enough.
 */
function lockWatch(target: string, now: () => number = () => performance.now()): () => Promise<boolean> {
  let seen: string | null = null;
  let since = now();
  return async () => {
    const sign = await signOfLife(target);
    const owner = processOf(await readOwner(target));
    if (sign !== seen) {
      // A change after the first look is a sign of life.
      if (seen !== null && owner !== null) silent.delete(owner);
      seen = sign;
      since = now();
    }
    if (sign === null) return false;
    if (await ownerIsDead(target)) return true;
    const old = await looksStale(`${target}.lock`);
    if (old && owner !== null && silent.has(owner)) return true;
    const quiet = now() - since;
    if (quiet <= STALE_MS && !(old && quiet > WATCHED_MS)) return false;
    if (owner !== null) silent.add(owner);
    return true;
  };
}

/**
 * Processes whose lock was watched in vain: their other locks, of which a killed run leaves one an entry, need no
 * watch.
 */
const silent = new Set<string>();

function processOf(owner: LockOwner | null): string | null {
  return owner === null ? null : JSON.stringify([owner.host, owner.processes, owner.pid, owner.started]);
}

/**
 * Changes whenever the holder of a lock gives a sign of life, and with the lock; null: there is none. On NFS that is
 * the server's word: whoever asks has just tried to make the folder, and a client asks about its name then.
 */
async function signOfLife(target: string): Promise<string | null> {
  const stats = await stat(`${target}.lock`, { bigint: true }).catch(() => null);
  return stats === null ? null : [stats.ino, stats.birthtimeNs, stats.mtimeNs].join(':');
}

async function takeOver(target: string, isGone: () => Promise<boolean>): Promise<EntryLock | null> {
  const lock = await takeFree(target);
  if (lock !== null || !(await removeDeadLock(target, isGone))) return lock;
  return takeFree(target);
}

async function takeFree(target: string): Promise<EntryLock | null> {
  let lost: Error | null = null;
  const mine: OwnLock = { stamp: null, vouched: () => true };
  const onCompromised = (error: Error) => {
    lost = error;
  };
  const release = await acquire(target, { stale: NEVER_MS, onCompromised, fs: onlyOwn(mine) });
  if (release === null) return null;
  const note = await writeOwner(target, mine.stamp).catch(async (error) => {
    await release().catch(() => undefined);
    throw error;
  });
  if (note === null) {
    await release().catch(() => undefined);
    return null;
  }
  mine.vouched = () => stillOwns(target, note);
  const isHeld = () => lost === null && stillOwns(target, note);
  return {
    async assertHeld() {
      if (isHeld()) return;
      throw new SupportCalError(
        'cache-busy',
        {
          file: target,
          message:
            'the lock of this entry was lost: another run took it over, or its folder was removed; run again to go on',
        },
        { cause: lost },
      );
    },
    async release() {
      const owned = stillOwns(target, note);
      mine.vouched = () => owned;
      if (owned) removeOwner(target);
      // Where only the note is gone the lock is still ours, and in the way of everyone else.
      await release().catch(() => undefined);
      if (mine.stamp !== null && isOwn(mine, `${target}.lock`)) removeFolder(`${target}.lock`);
    },
  };
}

interface OwnLock {
  /** `lockStamp` of the lock; null: not known yet. */
  stamp: string | null;
  /** Whether other signs speak for it, where the stamp alone says too little. */
  vouched: () => boolean;
}

/** NFS tells no birth time, and a server soon gives the number of a removed folder to another one. */
function isOwn({ stamp, vouched }: OwnLock, folder: string): boolean {
  return lockStamp(folder) === stamp && (stamp?.endsWith(':0') !== true || vouched());
}

/**
 * The file system for the package, which as it gives a lock back or its process exits removes the folder of that name,
 * whose ever it is: one that another run has made since, as it took ours over, stays.
 */
function onlyOwn(mine: OwnLock): typeof fs {
  const isOurs = (folder: unknown) => mine.stamp === null || isOwn(mine, String(folder));
  return {
    ...fs,
    mkdir: ((folder: fs.PathLike, done: fs.NoParamCallback) =>
      fs.mkdir(folder, (error) => {
        if (error === null) mine.stamp = lockStamp(String(folder));
        done(error);
      })) as typeof fs.mkdir,
    rmdir: ((folder: fs.PathLike, done: fs.NoParamCallback) =>
      isOurs(folder) ? fs.rmdir(folder, done) : done(null)) as typeof fs.rmdir,
    rmdirSync: (folder: fs.PathLike) => {
      if (isOurs(folder)) fs.rmdirSync(folder);
    },
  };
}

function removeFolder(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch {
    // It will be taken over.
  }
}

async function acquire(
  target: string,
  options: Pick<lockfile.LockOptions, 'stale' | 'onCompromised' | 'fs'>,
): Promise<(() => Promise<void>) | null> {
  try {
    return await lockfile.lock(target, { realpath: false, update: UPDATE_MS, retries: 0, ...options });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ELOCKED') return null;
    throw writeFailed(`${target}.lock`, cause);
  }
}

/**
 * Removes the lock of a run that is gone. Only the holder of a second lock may do so, or a waiter that looked a moment
 * earlier could remove the lock that another waiter has just taken.
 */
async function removeDeadLock(target: string, isGone: () => Promise<boolean>): Promise<boolean> {
  if (!(await isGone())) return false;
  const began = performance.now();
  const mine: OwnLock = { stamp: null, vouched: () => performance.now() - began < STALE_MS };
  const options = { stale: STALE_MS, onCompromised: () => undefined, fs: onlyOwn(mine) };
  const release = await acquire(`${target}.takeover`, options);
  if (release === null) return false;
  try {
    if (!(await isGone())) return false;
    // Whoever was stopped here for long has lost the second lock too, and what it saw is no longer so.
    if (!isOwn(mine, `${target}.takeover.lock`)) return false;
    removeOwner(target);
    fs.rmdirSync(`${target}.lock`);
    return true;
  } catch (error) {
    if (notThere(error)) return true;
    throw writeFailed(`${target}.lock`, error);
  } finally {
    await release().catch(() => undefined);
  }
}
