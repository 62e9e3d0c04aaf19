import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { HubAccess } from './hub-access.js';
import { type HubRepository, type ListedFile, listRepository, type RepositoryListing } from './hub-repository.js';

/**
 * What the hub's own tools have downloaded of a repository at a revision: the files of their snapshot, each a link to
 * one that is named by its hash. There may be more on the hub.
 *
 * @returns null when they have nothing of it
 */
export async function sharedListing(
  { kind, name, revision }: HubRepository,
  { sharedFolder }: Pick<HubAccess, 'sharedFolder'>,
): Promise<RepositoryListing | null> {
  if (sharedFolder === null || /[\\]|(^|\/)\.{0,2}(\/|$)/.test(revision) || name.includes('--')) return null;
  const folder = path.resolve(sharedFolder, sharedName({ kind, name }));
  const named = await readFile(path.join(folder, 'refs', revision), 'utf8').catch(() => revision);
  const commit = named.trim();
  if (!/^[0-9a-f]{40}$/.test(commit)) return null;
  const snapshot = path.join(folder, 'snapshots', commit);
  const names = await readdir(snapshot, { recursive: true }).catch(() => []);
  const files = await Promise.all(names.map((file) => linked(snapshot, file)));
  const found = files.filter((file) => file !== null).sort((a, b) => (a.path < b.path ? -1 : 1));
  return found.length === 0 ? null : { commit, files: found };
}

/**
 * `listRepository`; offline, where we never listed the repository, what the hub's own tools have fetched is enough.
 *
 * @param find what of that is enough; null: too little
 */
export function listOrShared(
  repository: HubRepository,
  access: HubAccess,
  find: () => Promise<RepositoryListing | null> = () => sharedListing(repository, access),
): Promise<RepositoryListing> {
  return listRepository(repository, access).catch(async (error) => {
    const shared = access.offline ? await find() : null;
    if (shared === null) throw error;
    return shared;
  });
}

export function hasAll({ files }: RepositoryListing, paths: readonly string[]): boolean {
  return paths.every((file) => files.some(({ path: listed }) => listed === file));
}

/**
 * The folder of a repository among the downloads of the hub's own tools. `a/b--c` and `a--b/c` would share one: the hub
 * has no names with two dashes side by side.
 */
export function sharedName({ kind, name }: Pick<HubRepository, 'kind' | 'name'>): string {
  return `${kind}s--${name.replace('/', '--')}`;
}

async function linked(snapshot: string, file: string): Promise<ListedFile | null> {
  const real = await realpath(path.join(snapshot, file)).catch(() => null);
  const info = real === null ? null : await stat(real).catch(() => null);
  if (real === null || !info?.isFile()) return null;
  const hash = path.basename(real);
  const listed = { path: file.split(path.sep).join('/'), bytes: info.size };
  if (/^[0-9a-f]{64}$/.test(hash)) return { ...listed, sha256: hash, blobSha1: '' };
  return /^[0-9a-f]{40}$/.test(hash) ? { ...listed, sha256: null, blobSha1: hash } : null;
}
