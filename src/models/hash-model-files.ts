import path from 'node:path';
import type { ModelSpec } from '../config/models-schema.js';
import type { Adapter } from '../contract/scorer.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { contentHash } from '../files/content-hash.js';
import { fileHashCached, fileStamp } from '../files/file-hash-cached.js';
import type { HubFile } from '../hub/fetch-hub-file.js';
import { findModel } from '../hub/hub-model.js';
import { checkAdapterFile, checkModelFile } from './gguf/check-model-file.js';
import { knownModel, originOf } from './hub-models.js';
import { type ModelFiles, modelFiles } from './model-files.js';
import type { ModelPlaces } from './model-places.js';
import { adaptersOf } from './model-references.js';

export interface HashedFiles {
  /** Of a split model the content hash of the list of its parts' sha256. */
  readonly sha256: string;
  readonly lora: ReadonlyArray<Adapter & { readonly sha256: string }>;
}

/** A file as it was when it was hashed. */
interface SeenFile {
  readonly path: string;
  readonly sha256: string;
  readonly stamp: string;
}

export type HashedModel = Pick<ModelFiles, 'path' | 'bytes'> &
  HashedFiles & {
    /** Of a file of the hub: repository, commit and path. */
    readonly origin: string | null;
    /** Files that are still to be fetched, adapters included. */
    readonly remote: readonly HubFile[];
    /** Every file that was hashed here; those of the hub are checked as they come. */
    readonly seen: readonly SeenFile[];
  };

/** A file that models.yaml names: where it is or will be, and where it is from. */
interface NamedFile {
  readonly written: string;
  /** Of the hub, the first part first; null: a path. */
  readonly known: readonly HubFile[] | null;
  readonly here: boolean;
}

/** The files of a model with their hashes, or why they cannot be had: missing, cut, or not the promised ones. */
export async function hashModelFiles(
  workspace: ModelPlaces & { readonly options: { readonly cache: string } },
  model: ModelSpec,
): Promise<HashedModel | { readonly reason: string }> {
  const { models, options, hub } = workspace;
  if (model.file === undefined)
    return {
      reason: `"${model.id}" has no file in ${models.file} and no imported scores (supportcal import FILE --model ${model.id} ...)`,
    };
  try {
    const file = await namedFile(model.file, hub);
    const adapters = await Promise.all(adaptersOf(model).map((adapter) => namedFile(adapter.file, hub)));
    const remote = [file, ...adapters].flatMap(({ here, known }) => (here ? [] : known!));
    const index = path.join(options.cache, 'model-files.json');
    const hashed =
      remote.length === 0
        ? await hashFiles(await modelFiles(workspace, model), index)
        : await listedModel(workspace, model, file, adapters, index);
    const { sha256 } = hashed;
    if (model.sha256 && model.sha256.toLowerCase() !== sha256) {
      return {
        reason: `${model.file}: its sha256 is ${sha256}, ${models.file} says ${model.sha256}; fetch the file again`,
      };
    }
    return { ...hashed, origin: file.known === null ? null : originOf(file.known), remote };
  } catch (error) {
    if (error instanceof SupportCalError) return { reason: workspace.unfound?.get(model.id) ?? error.message };
    throw error;
  }
}

async function namedFile(written: string, hub: ModelPlaces['hub']): Promise<NamedFile> {
  const known = await knownModel(hub, written);
  if (known === null) return { written, known, here: true };
  const found = await findModel(known, hub);
  return { written, known: found ?? known, here: found !== null };
}

/**
 * A model of which some file is not here yet: those of the hub by the sizes and hashes that it lists (the scores may be in
 * the cache all the same), those named by a path by their content.
 */
async function listedModel(
  { models }: Pick<ModelPlaces, 'models'>,
  model: ModelSpec,
  file: NamedFile,
  adapters: readonly NamedFile[],
  index: string,
): Promise<Omit<HashedModel, 'origin' | 'remote'>> {
  const local = (written: string) => path.resolve(path.dirname(models.file), written);
  const seen: SeenFile[] = [];
  const lora: HashedModel['lora'][number][] = [];
  for (const [n, { written, known }] of adapters.entries()) {
    const { scale } = adaptersOf(model)[n]!;
    if (known === null) await checkAdapterFile(local(written), written, null);
    const hashes = known === null ? await hashPaths([local(written)], index, seen) : listedHashes(known, written);
    lora.push({ path: known === null ? local(written) : known[0]!.path, scale, sha256: oneHash(hashes) });
  }
  if (file.known !== null) {
    const sha256 = oneHash(listedHashes(file.known, file.written));
    const bytes = file.known.reduce((sum, { listed }) => sum + listed.bytes, 0);
    return { path: file.known[0]!.path, bytes, sha256, lora, seen };
  }
  const { bytes, files } = await checkModelFile(local(file.written), file.written);
  return { path: files[0]!, bytes, sha256: oneHash(await hashPaths(files, index, seen)), lora, seen };
}

function listedHashes(files: readonly HubFile[], written: string): string[] {
  return files.map(({ listed }) => {
    if (listed.sha256 !== null) return listed.sha256;
    const message = 'is not downloaded, and its hash cannot be known before it is; fetch it and name the local file';
    throw new SupportCalError('missing-file', { file: written, message });
  });
}

async function hashFiles(
  { path: file, bytes, parts, lora }: ModelFiles,
  index: string,
): Promise<Omit<HashedModel, 'origin' | 'remote'>> {
  const seen: SeenFile[] = [];
  const sha256 = oneHash(await hashPaths(parts, index, seen));
  const adapters: HashedModel['lora'][number][] = [];
  for (const adapter of lora)
    adapters.push({ ...adapter, sha256: oneHash(await hashPaths([adapter.path], index, seen)) });
  return { path: file, bytes, sha256, lora: adapters, seen };
}

async function hashPaths(paths: readonly string[], index: string, seen: SeenFile[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const each of paths) {
    const stamp = await fileStamp(each);
    const sha256 = await fileHashCached(each, index);
    seen.push({ path: each, stamp, sha256 });
    hashes.push(sha256);
  }
  return hashes;
}

function oneHash(hashes: readonly string[]): string {
  return hashes.length === 1 ? hashes[0]! : contentHash(hashes);
}
