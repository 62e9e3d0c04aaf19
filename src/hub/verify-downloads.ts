import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { HubAccess } from './hub-access.js';
import { isListed, type ListedFile } from './hub-repository.js';
import { isSound } from './sound-file.js';

export interface VerifiedDownloads {
  /** Downloads that were read. */
  readonly files: number;
  readonly damaged: ReadonlyArray<{ readonly file: string; readonly reason: string }>;
}

/**
 * Reads every download in the folder and compares it with the list of its commit that was kept beside it. Broken
 * downloads, which the next run takes up, are left out.
 */
export async function verifyDownloads({ folder }: Pick<HubAccess, 'folder'>): Promise<VerifiedDownloads> {
  let files = 0;
  const damaged: { file: string; reason: string }[] = [];
  for (const repository of await namesIn(folder)) {
    for (const commit of await namesIn(path.join(folder, repository, 'files'))) {
      const at = path.join(folder, repository, 'files', commit);
      const listing = await listingOf(path.join(folder, repository, 'trees', `${commit}.json`));
      for (const name of await filesUnder(at)) {
        files++;
        const file = path.join(at, name);
        const reason = await faultOf(file, listing.get(name.split(path.sep).join('/')));
        if (reason !== null) damaged.push({ file, reason });
      }
    }
  }
  return { files, damaged };
}

async function faultOf(file: string, listed: ListedFile | undefined): Promise<string | null> {
  if (listed === undefined) return 'the list that names its hash is gone or damaged, so that it cannot be checked';
  const sound = await isSound(file, listed).catch(() => false);
  return sound ? null : 'its bytes are not those that the hub lists';
}

async function listingOf(file: string): Promise<ReadonlyMap<string, ListedFile>> {
  try {
    const listed = JSON.parse(await readFile(file, 'utf8')) as unknown;
    return new Map(Array.isArray(listed) ? listed.filter(isListed).map((each) => [each.path, each]) : []);
  } catch {
    return new Map();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !/\.(partial|partial\.etag|fetched|lock|tmp)$/.test(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}
