import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';

/** Who holds a lock, and which lock: a lock made later under the same name has another inode or birth time. */
export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /**
   * Where the process id means this process: a container may share its host's name but not its processes, and so may
   * another machine on the same network folder.
   */
  readonly processes: string;
  /** When the process started, as the system counts; another process of the same id started later. null: unknown. */
  readonly started: string | null;
  readonly lock: string;
  readonly token: string;
}

/** What the holder of a lock knows of its own note. */
export interface OwnNote {
  readonly owner: LockOwner;
  /** The note's file as it was when it was last read as ours. */
  stamp: string | null;
  /** When that was, by a clock that only goes forward and by the date. */
  readAt: readonly [number, number];
}

/** A look at a file of a network folder may be answered from memory for a minute; opening it asks the server. */
const TRUSTED_MS = 2_000;

/**
 * Writes `<target>.owner` beside the lock that this process has just made.
 *
 * @param lock `lockStamp` of that lock
 * @returns null when another lock stands there by now: this process was stopped for so long that it was taken over
 */
export async function writeOwner(target: string, lock: string | null): Promise<OwnNote | null> {
  const owner = {
    pid: process.pid,
    host: hostname(),
    processes: processSpace(),
    started: startOf(process.pid),
    lock: lock ?? '',
    token: randomBytes(8).toString('hex'),
  };
  const verify = async () => {
    if (lockStamp(lockOf(target)) !== lock) throw new SupportCalError('cache-busy', 'the lock is another one');
  };
  try {
    await writeFileAtomic(ownerFile(target), JSON.stringify(owner), { verify });
  } catch (error) {
    if (error instanceof SupportCalError && error.code === 'cache-busy') return null;
    throw error;
  }
  // Not known before it was read once: another run may have put its note there by now.
  return { owner, stamp: null, readAt: [0, 0] };
}

/** null when nobody has written who holds the lock (yet). */
export async function readOwner(target: string): Promise<LockOwner | null> {
  try {
    return JSON.parse(readFileSync(ownerFile(target), 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Whether the lock is still the one that the note stands for. It is looked at before every write: a synchronous look at
 * the file costs a tenth of the other, and a file that has not changed since it was read need not be read again for two
 * seconds. Nobody takes over from a run that was stopped for so short a time.
 */
export function stillOwns(target: string, note: OwnNote): boolean {
  const stamp = noteStamp(target);
  if (stamp !== null && stamp === note.stamp && isRecent(note.readAt)) return true;
  try {
    if (JSON.parse(readFileSync(ownerFile(target), 'utf8')).token !== note.owner.token) return false;
    note.stamp = stamp;
    note.readAt = [performance.now(), Date.now()];
    return true;
  } catch (error) {
    // Without a free descriptor nothing can be read; a look at the lock needs none, and it must be given back.
    const { code } = error as NodeJS.ErrnoException;
    return (code === 'EMFILE' || code === 'ENFILE') && lockStamp(lockOf(target)) === note.owner.lock;
  }
}

/** By both clocks: one stands still while the machine sleeps, the other may be set. */
function isRecent([forward, date]: OwnNote['readAt']): boolean {
  const passed = [performance.now() - forward, Date.now() - date];
  return passed.every((milliseconds) => milliseconds >= 0 && milliseconds < TRUSTED_MS);
}

/** A note that another run puts in its place is another file. */
function noteStamp(target: string): string | null {
  const stats = statSync(ownerFile(target), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : [stats.ino, stats.ctimeNs, stats.size].join(':');
}

/** A note that cannot be removed does no harm: the lock that it is of is gone. */
export function removeOwner(target: string): void {
  try {
    rmSync(ownerFile(target), { force: true });
  } catch {
    // Whoever locks next writes another one in its place.
  }
}

/**
 * Whether the lock on disk was made by a process of this machine that has ended, its number perhaps given to another.
 */
export async function ownerIsDead(target: string): Promise<boolean> {
  const owner = await readOwner(target);
  if (owner === null || owner.lock !== lockStamp(lockOf(target))) return false;
  if (owner.host !== hostname() || owner.processes !== processSpace()) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const started = startOf(owner.pid);
  return owner.started !== null && started !== null && owner.started !== started;
}

/** Which lock folder stands there; null: none. */
export function lockStamp(folder: string): string | null {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.ino}:${stats.birthtimeNs}`;
}

function lockOf(target: string): string {
  return `${target}.lock`;
}

/**
 * Linux: which boot of which machine, and the namespace that process ids belong to. Elsewhere they belong to the host.
 */
function processSpace(): string {
  const known = (read: () => string) => {
    try {
      return read().trim();
    } catch {
      return '';
    }
  };
  return [
    known(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    known(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
}

/** Linux: clock ticks from the boot of the machine to the start of a process. */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function ownerFile(target: string): string {
  return `${target}.owner`;
}
