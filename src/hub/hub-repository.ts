import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { slugOf } from '../files/slug-of.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import type { HubAccess } from './hub-access.js';
import { HubTrouble, hubFault, NOT_FETCHED } from './hub-fault.js';
import { hubGet } from './hub-get.js';
import { withRetries } from './with-retries.js';

export interface HubRepository {
  readonly kind: 'dataset' | 'model';
  /** `owner/name`. */
  readonly name: string;
  /** Branch, tag or commit. */
  readonly revision: string;
}

/** A file of a repository at one commit, as the hub lists it. */
export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  /** Hash of a file in large-file storage; null for a file that git keeps itself. */
  readonly sha256: string | null;
  /** git's hash of the file (or of its pointer): sha1 of `blob <bytes>\0` and the content. */
  readonly blobSha1: string;
}

export interface RepositoryListing {
  /** 40 hexadecimal digits: what the revision stands for. */
  readonly commit: string;
  readonly files: readonly ListedFile[];
}

/**
 * What a repository holds at a revision. Asked once: a branch or tag stays at the commit that was found first until
 * `refresh`, so that two runs see the same files. Both answers are kept in the folder of the repository.
 *
 * @throws SupportCalError missing-file: no such repository or revision, no access, no connection, or offline
 */
export async function listRepository(repository: HubRepository, access: HubAccess): Promise<RepositoryListing> {
  refuseOddNames(repository);
  const commit = await commitOf(repository, access);
  const cached = path.join(repositoryFolder(repository, access), 'trees', `${commit}.json`);
  const known = await readJson(cached);
  if (Array.isArray(known) && known.length > 0 && known.every(isListed)) return { commit, files: known };
  if (access.offline) throw notHere(repository);
  const files = await fetchTree(repository, commit, access);
  await writeFileAtomic(cached, `${JSON.stringify(files)}\n`);
  return { commit, files };
}

/**
 * A step of dots alone in a name or revision would ask for another address of the hub, since URLs take such steps.
 *
 * @throws SupportCalError missing-file, before anything is asked
 */
function refuseOddNames(repository: HubRepository): void {
  const { name, revision } = repository;
  const steps = [...name.split('/'), ...revision.split('/')];
  const whole =
    /^[\w.-]+(\/[\w.-]+)?$/.test(name) && steps.every((step) => !/^\.{0,2}$/.test(step)) && !revision.includes('\\');
  if (!whole) {
    const what = `${JSON.stringify(name)} at ${JSON.stringify(revision)}`;
    throw hubFault(what, 'is no name of a repository and a revision of the hub; expected owner/name');
  }
}

/** Where the files of a repository are kept. */
export function repositoryFolder({ kind, name }: HubRepository, { folder }: Pick<HubAccess, 'folder'>): string {
  return path.join(folder, slugOf(`${kind}s/${name}`));
}

/** `owner/name` as its page is called; data sets have a folder of their own. */
export function pageOf({ kind, name }: HubRepository): string {
  return kind === 'dataset' ? `datasets/${name}` : name;
}

/** Bytes of one page of a listing; a thousand entries are far below a megabyte. */
const LARGEST_ANSWER = 64 * 2 ** 20;
/** Pages of a listing; the largest repositories have some hundred. */
const MOST_PAGES = 10_000;

async function commitOf(repository: HubRepository, access: HubAccess): Promise<string> {
  const { revision } = repository;
  if (isCommit(revision)) return revision;
  const cached = path.join(repositoryFolder(repository, access), 'refs', `${slugOf(revision)}.json`);
  const known = (await readJson(cached)) as { commit?: unknown } | null;
  if (isCommit(known?.commit) && (access.offline || !access.refresh)) return known.commit;
  if (access.offline) throw notHere(repository);
  const url = `${apiOf(repository, access)}/revision/${encodeURIComponent(revision)}`;
  const sha = ((await getJson(url, repository, access)).value as { sha?: unknown } | null)?.sha;
  if (!isCommit(sha)) {
    throw hubFault(pageOf(repository), 'the hub does not say which commit the revision stands for');
  }
  await writeFileAtomic(cached, `${JSON.stringify({ revision, commit: sha })}\n`);
  return sha;
}

/** What a kept note says becomes part of paths and addresses, so that nothing else is taken for a commit. */
function isCommit(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{40}$/.test(text);
}

/** Every file, over all pages of the answer. */
async function fetchTree(repository: HubRepository, commit: string, access: HubAccess): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  const asked = new Set<string>();
  let url: string | null = `${apiOf(repository, access)}/tree/${commit}?recursive=true&limit=1000`;
  while (url !== null) {
    if (asked.has(url) || asked.size === MOST_PAGES)
      throw hubFault(pageOf(repository), 'the pages of its list of files do not end');
    asked.add(url);
    const { value, next } = await getJson(url, repository, access);
    const page = Array.isArray(value) ? value.map(treeEntry) : [undefined];
    if (page.includes(undefined))
      throw hubFault(pageOf(repository), 'the hub lists its files in a form that is not known');
    for (const file of page) if (file) files.push(file);
    if (next !== null && !URL.canParse(next, url))
      throw hubFault(pageOf(repository), 'the link to more of its files cannot be read');
    url = next === null ? null : onOwnHost(new URL(next, url), access);
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A mirror hands on the links of the hub itself; its next page, and the token, stay with the mirror. */
function onOwnHost({ pathname, search }: URL, { endpoint }: HubAccess): string {
  const own = new URL(endpoint);
  const folder = own.pathname.replace(/\/$/, '');
  return `${own.origin}${pathname.startsWith(`${folder}/`) ? '' : folder}${pathname}${search}`;
}

/** An entry of a listing as the hub writes it; null for a folder, undefined for what is no entry. */
function treeEntry(entry: unknown): ListedFile | null | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { type, path: name, size, oid, lfs } = entry as Readonly<Record<string, unknown>>;
  if (type !== 'file') return null;
  const large = lfs as { readonly size?: unknown; readonly oid?: unknown } | null | undefined;
  const file = { path: name, bytes: large?.size ?? size, sha256: large?.oid ?? null, blobSha1: oid };
  return isListed(file) ? file : undefined;
}

/** Whether a value is an entry of a kept list of files. */
export function isListed(file: unknown): file is ListedFile {
  const { path: name, bytes, sha256, blobSha1 } = (file ?? {}) as Readonly<Record<string, unknown>>;
  const known = typeof name === 'string' && Number.isSafeInteger(bytes) && (bytes as number) >= 0;
  return known && typeof blobSha1 === 'string' && (sha256 === null || typeof sha256 === 'string');
}

async function getJson(url: string, repository: HubRepository, access: HubAccess) {
  const what = pageOf(repository);
  return withRetries(`${what} at ${repository.revision}`, access, async () => {
    const { response, chunks } = await hubGet(url, `${what} at ${repository.revision}`, access);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of chunks()) {
      bytes += chunk.length;
      if (bytes > LARGEST_ANSWER) throw hubFault(what, 'the answer of the hub does not end');
      pieces.push(chunk);
    }
    const next = /<([^>]+)>\s*;\s*rel="?next"?/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
    try {
      return { value: JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown, next };
    } catch (cause) {
      throw new HubTrouble('the answer of the hub is no JSON', null, { cause });
    }
  });
}

function apiOf({ kind, name }: HubRepository, { endpoint }: HubAccess): string {
  return `${endpoint}/api/${kind}s/${name}`;
}

function notHere(repository: HubRepository) {
  const message = `${NOT_FETCHED}; run once without it`;
  return hubFault(`${pageOf(repository)} at ${repository.revision}`, message);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}
