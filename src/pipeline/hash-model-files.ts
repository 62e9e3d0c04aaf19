import path from 'node:path';
import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { contentHash } from '../files/content-hash.js';
import { fileHashCached, fileStamp } from '../files/file-hash-cached.js';
import type { HubFile } from '../hub/fetch-hub-file.js';
import { findModel } from '../hub/hub-model.js';
import type { Adapter } from '../scoring/contract.js';
import { knownModel, originOf } from './hub-models.js';
import type { Workspace } from './load-workspace.js';
import { type ModelFiles, modelFiles } from './model-files.js';

export interface HashedFiles {
  /** Of a split model the content hash of the list of its parts' sha256. */
  readonly sha256: string;
  readonly lora: ReadonlyArray<Adapter & { readonly sha256: string }>;
}

/** A file as it was when it was hashed. */
export interface SeenFile {
  readonly path: string;
  readonly sha256: string;
  readonly stamp: string;
}

export type HashedModel = Pick<ModelFiles, 'path' | 'bytes'> &
  HashedFiles & {
    /** Of a file of the hub: repository, commit and path. */
    readonly origin: string | null;
    /** Files that are still to be fetched; null when all are here. */
    readonly remote: readonly HubFile[] | null;
    /** Every file of the model; none of a model that is still to be fetched, which is checked as it comes. */
    readonly seen: readonly SeenFile[];
  };

/** The files of a model with their hashes, or why they cannot be had: missing, cut, or not the promised ones. */
export async function hashModelFiles(
  workspace: Pick<Workspace, 'models' | 'hub' | 'unfound'> & { readonly options: Pick<Workspace['options'], 'cache'> },
  model: ModelSpec,
): Promise<HashedModel | { readonly reason: string }> {
  const { models, options, hub } = workspace;
  if (model.file === undefined)
    return {
      reason: `"${model.id}" has no file in ${models.file} and no imported scores (supportcal import FILE --model ${model.id} ...)`,
    };
  try {
    const known = await knownModel(hub, model.file);
    const remote = known !== null && (await findModel(known, hub)) === null ? listedModel(known, model) : null;
    const files = remote ?? (await modelFiles(workspace, model));
    const hashes =
      'sha256' in files ? files : await hashFiles(files as ModelFiles, path.join(options.cache, 'model-files.json'));
    const { sha256, lora, seen } = hashes;
    if (model.sha256 && model.sha256.toLowerCase() !== sha256) {
      return {
        reason: `${model.file}: its sha256 is ${sha256}, ${models.file} says ${model.sha256}; fetch the file again`,
      };
    }
    const origin = known === null ? null : originOf(known);
    const fetching = remote === null ? null : known;
    return { path: files.path, bytes: files.bytes, sha256, lora, seen, origin, remote: fetching };
  } catch (error) {
    if (error instanceof SupportCalError) return { reason: workspace.unfound?.get(model.id) ?? error.message };
    throw error;
  }
}

/** A model that is not here yet, by the sizes and hashes that the hub lists: its scores may be in the cache all the same. */
function listedModel(files: readonly HubFile[], model: ModelSpec) {
  const hashes = files.map(({ listed }) => listed.sha256);
  if (hashes.includes(null) || model.lora !== undefined) {
    const message = 'is not downloaded, and its hash cannot be known before it is; fetch it and name the local file';
    throw new SupportCalError('missing-file', { file: model.file, message });
  }
  const sha256 = hashes.length === 1 ? hashes[0]! : contentHash(hashes);
  const bytes = files.reduce((sum, { listed }) => sum + listed.bytes, 0);
  return { path: files[0]!.path, bytes, sha256, lora: [], seen: [] };
}

async function hashFiles({ parts, lora }: ModelFiles, index: string) {
  const seen: SeenFile[] = [];
  for (const path of [...parts, ...lora.map((adapter) => adapter.path)]) {
    const stamp = await fileStamp(path);
    seen.push({ path, stamp, sha256: await fileHashCached(path, index) });
  }
  const hashes = seen.slice(0, parts.length).map(({ sha256 }) => sha256);
  const adapters = lora.map((adapter, n) => ({ ...adapter, sha256: seen[parts.length + n]!.sha256 }));
  return { sha256: hashes.length === 1 ? hashes[0]! : contentHash(hashes), lora: adapters, seen };
}
