import path from 'node:path';
import { keptBytes } from './download-file.js';
import { fetchListed, findHere, type HubFile, hubFile, listedFile } from './fetch-hub-file.js';
import type { HubAccess } from './hub-access.js';
import type { HubRepository, ListedFile } from './hub-repository.js';
import { hasAll, listOrShared, sharedListing } from './shared-listing.js';
import { hasSize, isSound } from './sound-file.js';
import { spelledIn } from './spelled-in.js';

/** A model file of the hub as models.yaml names it. */
export interface ModelReference {
  readonly repository: HubRepository;
  /** Path in the repository; of a split model, of its first part. */
  readonly file: string;
}

/** `hf:owner/repo/file.gguf`, or `hf:owner/repo@revision/file.gguf`; null for anything else, such as a step upwards. */
export function modelReference(text: string): ModelReference | null {
  const match = /^hf:([\w.-]+\/[\w.-]+?)(?:@([\w.-]+))?\/(.+)$/.exec(text);
  const [, name = '', revision = 'main', file = ''] = match ?? [];
  const steps = [...`${name}/${file}`.split('/'), revision];
  if (steps.some((step) => /^\.{0,2}$/.test(step))) return null;
  return { repository: { kind: 'model', name, revision }, file };
}

/**
 * The files of a model as the hub lists them (all parts of a split one, the first first), whether they are here or not.
 * A name in another spelling than the repository's is found as well (`spelledIn`).
 *
 * @throws SupportCalError missing-file: see listRepository; no such file or part
 */
export async function listModel({ repository, file }: ModelReference, access: HubAccess): Promise<HubFile[]> {
  const partsIn = (files: readonly ListedFile[]) =>
    partsOf(
      spelledIn(
        files.map((each) => each.path),
        file,
      ),
    );
  const { commit, files } = await listOrShared(repository, access, async () => {
    const shared = await sharedListing(repository, access);
    return shared !== null && hasAll(shared, partsIn(shared.files)) ? shared : null;
  });
  return partsIn(files).map((part) => hubFile(repository, commit, listedFile(repository, files, part), access));
}

/** Brings the files of a model here, unless they are: all parts into one folder, where llama.cpp looks for them. */
export async function fetchModel(files: readonly HubFile[], access: HubAccess): Promise<void> {
  const here = await findModel(files, access);
  if (here !== null && (await areSound(here))) return;
  const own = { ...access, sharedFolder: null };
  for (const { repository, commit, listed } of files) await fetchListed(repository, commit, listed, own);
}

async function areSound(files: readonly HubFile[]): Promise<boolean> {
  for (const { path: at, listed } of files) if (!(await isSound(at, listed))) return false;
  return true;
}

/** How many bytes of a model that is not here whole parts and a broken download have left here already. */
export async function bytesHere(files: readonly HubFile[]): Promise<number> {
  const parts = files.map(async ({ path: at, listed }) =>
    (await hasSize(at, listed.bytes)) ? listed.bytes : keptBytes(at, listed),
  );
  return (await Promise.all(parts)).reduce((sum, bytes) => sum + bytes, 0);
}

/** The files of a model where they are complete, all in one folder; null when one is missing. */
export async function findModel(files: readonly HubFile[], access: HubAccess): Promise<HubFile[] | null> {
  for (const { sharedFolder } of [{ sharedFolder: null }, access]) {
    const here = await Promise.all(files.map((file) => findHere(file, { sharedFolder })));
    const folders = new Set(here.map((file) => file && path.dirname(file.path)));
    if (!here.includes(null) && folders.size === 1) return here as HubFile[];
  }
  return null;
}

function partsOf(file: string): string[] {
  const match = /^(.*-)(\d{5})-of-(\d{5})(\.gguf)$/.exec(file);
  if (match === null) return [file];
  const [, start, , count, end] = match as unknown as [string, string, string, string, string];
  return Array.from({ length: Number(count) }, (_, n) => `${start}${String(n + 1).padStart(5, '0')}-of-${count}${end}`);
}
