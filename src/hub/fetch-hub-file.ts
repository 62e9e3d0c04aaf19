import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { downloadFile, hasSize } from './download-file.js';
import type { HubAccess } from './hub-access.js';
import { hubFault } from './hub-fault.js';
import { type HubRepository, type ListedFile, pageOf, repositoryFolder } from './hub-repository.js';
import { sharedName } from './shared-listing.js';

export interface HubFile {
  /** Absolute path on this machine. */
  readonly path: string;
  /** `owner/name@<7 digits of the commit>/file`, for messages. */
  readonly shown: string;
  readonly repository: HubRepository;
  readonly commit: string;
  readonly listed: ListedFile;
}

/** Where a file of a commit is kept, whether it is there or not. */
export function hubFile(
  repository: HubRepository,
  commit: string,
  listed: ListedFile,
  access: Pick<HubAccess, 'folder'>,
): HubFile {
  const at = path.resolve(repositoryFolder(repository, access), 'files', commit, ...safeParts(repository, listed.path));
  return { path: at, shown: `${repository.name}@${commit.slice(0, 7)}/${listed.path}`, repository, commit, listed };
}

/**
 * A file where it is complete: in our folder, or among the downloads of the hub's own tools; null when it is nowhere.
 */
export async function findHere(
  file: HubFile,
  { sharedFolder }: Pick<HubAccess, 'sharedFolder'>,
): Promise<HubFile | null> {
  const { repository, commit, listed } = file;
  if (await hasSize(file.path, listed.bytes)) return file;
  if (sharedFolder === null) return null;
  const at = path.resolve(
    sharedFolder,
    sharedName(repository),
    'snapshots',
    commit,
    ...safeParts(repository, listed.path),
  );
  // There a file is a link to one that is named by its hash.
  const real = await realpath(at).catch(() => null);
  if (real === null || path.basename(real) !== (listed.sha256 ?? listed.blobSha1)) return null;
  return (await hasSize(real, listed.bytes)) ? { ...file, path: at } : null;
}

/** A file of a listing, downloaded and checked unless it is here already. */
export async function fetchListed(
  repository: HubRepository,
  commit: string,
  listed: ListedFile,
  access: HubAccess,
): Promise<HubFile> {
  const file = hubFile(repository, commit, listed, access);
  const here = await findHere(file, access);
  if (here !== null) return here;
  const what = `${pageOf(repository)} ${listed.path}`;
  if (access.offline) {
    throw hubFault(
      what,
      'is not in the cache, and --offline (or HF_HUB_OFFLINE) forbids to fetch it; run once without it',
    );
  }
  const inUrl = listed.path.split('/').map(encodeURIComponent).join('/');
  const url = `${access.endpoint}/${pageOf(repository)}/resolve/${commit}/${inUrl}`;
  await downloadFile({ url, what, target: file.path, listed }, access);
  return file;
}

/** A listing that would lead out of its folder is not followed. */
function safeParts(repository: HubRepository, file: string): string[] {
  const parts = file.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /[\\:\0]|\p{Cs}/u.test(part))) {
    throw hubFault(pageOf(repository), `the file name ${JSON.stringify(file)} is not one that can be kept`);
  }
  return parts;
}

/** The file of a listing with this path; missing-file, with those like it, when there is none. */
export function listedFile(repository: HubRepository, files: readonly ListedFile[], file: string): ListedFile {
  const listed = files.find((each) => each.path === file);
  if (listed === undefined) throw noSuchFile(repository, file, files);
  return listed;
}

function noSuchFile(repository: HubRepository, file: string, files: readonly ListedFile[]) {
  const ending = path.posix.extname(file);
  const like = files.filter((each) => path.posix.extname(each.path) === ending).map((each) => each.path);
  const known = like.length === 0 ? '' : `; it has ${like.slice(0, 20).join(', ')}${like.length > 20 ? ', ...' : ''}`;
  return hubFault(pageOf(repository), `no file ${file} at ${repository.revision}${known}`, 404);
}
