import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { refuseLinks } from '../../files/refuse-links.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import { type IndexedRun, indexPage, type UnreadRun } from '../../report/runs/index-page.js';
import { readComparedRun } from './read-compared-run.js';

/** The page over the runs of a folder, and what it shows. */
export interface RunIndex {
  readonly file: string;
  readonly runs: readonly IndexedRun[];
  readonly unread: readonly UnreadRun[];
}

/**
 * Writes index.html into a folder whose folders are outputs of runs: one page over all of them. A run that cannot be
 * read is named there with its reason.
 *
 * @throws SupportCalError missing-file: no folder, or no run in it; write-failed
 */
export async function writeRunIndex(folder: string): Promise<RunIndex> {
  const names = await runFolders(folder);
  const read = await Promise.all(names.map((name) => readIndexed(folder, name)));
  const runs = read.flatMap((each) => ('results' in each ? [each] : []));
  const unread = read.flatMap((each) => ('results' in each ? [] : [each]));
  if (runs.length === 0) {
    const faults = unread.map(({ name, reason }) => ({ file: path.join(folder, name), message: reason }));
    const message = 'has no finished run in its folders; name the folder that holds the output folders of runs';
    throw new SupportCalError('missing-file', [{ file: folder, message }, ...faults]);
  }
  await refuseLinks(folder, ['index.html']);
  const file = path.join(folder, 'index.html');
  await writeFileAtomic(file, indexPage(runs, unread));
  return { file, runs, unread };
}

/** Folders with a results.json, by name. */
async function runFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    const message = cause.code === 'ENOENT' ? 'no such folder; name the one that runs are in' : whyUnreadable(cause);
    throw new SupportCalError('missing-file', { file: folder, message }, { cause });
  });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = await Promise.all(names.map((name) => isThere(path.join(folder, name, 'results.json'))));
  return names.filter((_, n) => found[n]).sort();
}

async function readIndexed(folder: string, name: string): Promise<IndexedRun | UnreadRun> {
  try {
    const run = await readComparedRun(name, path.join(folder, name, 'results.json'));
    return { ...run, hasPage: await isThere(path.join(folder, name, 'report.html')) };
  } catch (error) {
    const [fault] = error instanceof SupportCalError ? error.faults : [];
    return { name, reason: fault?.message ?? whyUnreadable(error) };
  }
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
