import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { downloadFile } from './download-file.js';
import type { HubAccess } from './hub-access.js';
import { hubFault, NOT_FETCHED } from './hub-fault.js';
import { type HubRepository, type ListedFile, pageOf, repositoryFolder } from './hub-repository.js';
import { sharedName } from './shared-listing.js';
import { hasSize, isSound } from './sound-file.js';

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
export async function findHere(file: HubFile, access: Pick<HubAccess, 'sharedFolder'>): Promise<HubFile | null> {
  if (await hasSize(file.path, file.listed.bytes)) return file;
  return findShared(file, access);
}

async function findShared(file: HubFile, { sharedFolder }: Pick<HubAccess, 'sharedFolder'>): Promise<HubFile | null> {
  const { repository, commit, listed } = file;
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

/**
 * A file of a listing, downloaded unless it is here already. Its bytes are read and compared with the listing in either
 * case: what a disk has changed since the download is fetched again, and never used.
 */
export async function fetchListed(
  repository: HubRepository,
  commit: string,
  listed: ListedFile,
  access: HubAccess,
): Promise<HubFile> {
  const file = hubFile(repository, commit, listed, access);
  const here = await soundFile(file, access);
  if (here !== null) return here;
  const what = `${pageOf(repository)} ${listed.path}`;
  if (access.offline) {
    const changed = await findHere(file, access);
    if (changed !== null) throw hubFault(what, rotten(changed));
    throw hubFault(what, `${NOT_FETCHED}; run once without it`);
  }
  const inUrl = listed.path.split('/').map(encodeURIComponent).join('/');
  const url = `${access.endpoint}/${pageOf(repository)}/resolve/${commit}/${inUrl}`;
  await downloadFile({ url, what, target: file.path, listed }, access);
  return file;
}

async function soundFile(file: HubFile, access: Pick<HubAccess, 'sharedFolder'>): Promise<HubFile | null> {
  if (await isSound(file.path, file.listed)) return file;
  const shared = await findShared(file, access);
  return shared !== null && (await isSound(shared.path, file.listed)) ? shared : null;
}

/** Why a downloaded file is not used, and how to go on. */
function rotten({ path: at, listed }: HubFile): string {
  const kind = listed.sha256 === null ? 'git hash' : 'sha256';
  const found = `the copy here (${at}) was changed after its download: its ${kind} is not the one that the hub lists`;
  return `${found}; run once without --offline to fetch it again`;
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
