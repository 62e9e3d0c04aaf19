import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** What a run tells the others that score into the same cache folder. No lock and no row depends on it. */
export interface WorkNote {
  readonly host: string;
  readonly pid: number;
  /** Names of the entries of which it holds rows. */
  readonly holds: readonly string[];
  /** Models of those entries. */
  readonly models: readonly string[];
  /** Rows of what it holds, and how many of them it has scored. */
  readonly rows: number;
  readonly done: number;
  /** What it has left to score of that, in the unit that runs of one suite share work by. */
  readonly left: number;
  /** Names of the entries that it waits for, since it found nothing that nobody holds. */
  readonly waitsFor: readonly string[];
}

export interface OtherRun extends WorkNote {
  readonly name: string;
}

export interface RunsAtWork {
  readonly name: string;
  /** Writes what this run does now, and says what the live others do. */
  look(note: Omit<WorkNote, 'host' | 'pid'>): Promise<readonly OtherRun[]>;
  /** Takes the note of this run away. */
  leave(): Promise<void>;
}

/** A run that has written nothing for this long is gone, or stopped; by a clock that only goes forward. */
const SILENT_MS = 8_000;

/**
 * The folder `at-work` of a cache: one file for each run that scores, written anew at every look. A file that does not
 * change any more is that of a run that is gone: it counts for nothing, and is removed by whoever saw it for long
 * enough.
 */
export function runsAtWork(cacheDir: string, now: () => number = () => performance.now()): RunsAtWork {
  const folder = join(cacheDir, 'at-work');
  const name = `${hostname().replace(/[^\w.-]/g, '_')}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const file = join(folder, `${name}.json`);
  const seen = new Map<string, { text: string; since: number }>();
  let count = 0;
  const read = async (fileName: string): Promise<OtherRun[]> => {
    const text = await readFile(join(folder, fileName), 'utf8').catch(() => '');
    const before = seen.get(fileName);
    if (before?.text !== text) seen.set(fileName, { text, since: now() });
    else if (now() - before.since > SILENT_MS) {
      if (now() - before.since > 10 * SILENT_MS)
        await rm(join(folder, fileName), { force: true }).catch(() => undefined);
      return [];
    }
    const others = parsed(fileName.replace(/\.json$/, ''), text);
    const dead = others.filter(({ host, pid }) => !isAlive(host, pid));
    if (dead.length > 0) await rm(join(folder, fileName), { force: true }).catch(() => undefined);
    return dead.length > 0 ? [] : others;
  };
  return {
    name,
    async look(note) {
      // Progress is no reason for a run to fail: a folder that cannot be written is a run that nobody sees.
      const text = JSON.stringify({ ...note, host: hostname(), pid: process.pid, count: count++ });
      await mkdir(folder, { recursive: true })
        .then(() => writeFile(`${file}.tmp`, text))
        .then(() => rename(`${file}.tmp`, file))
        .catch(() => undefined);
      const fileNames = await readdir(folder).catch(() => [] as string[]);
      const others = fileNames.filter((each) => each.endsWith('.json') && each !== `${name}.json`);
      return (await Promise.all(others.map(read))).flat();
    },
    async leave() {
      for (const each of [file, `${file}.tmp`]) await rm(each, { force: true }).catch(() => undefined);
      await rmdir(folder).catch(() => undefined);
    },
  };
}

/** Nothing where the file is not what a run of this version writes. */
function parsed(name: string, text: string): OtherRun[] {
  try {
    const { host, pid, holds, models, rows, done, left, waitsFor } = JSON.parse(text) as WorkNote;
    const lists = [holds, models, waitsFor];
    const numbers = [pid, rows, done, left];
    const isList = (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === 'string');
    if (typeof host !== 'string' || !lists.every(isList) || !numbers.every(Number.isFinite)) return [];
    return [{ name, host, pid, holds, models, rows, done, left, waitsFor }];
  } catch {
    return [];
  }
}

/** A process of another host counts as alive: only the changes of its file tell. */
function isAlive(host: string, pid: number): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
