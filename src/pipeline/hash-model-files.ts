import path from 'node:path';
import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { contentHash } from '../files/content-hash.js';
import { fileHashCached } from '../files/file-hash-cached.js';
import type { Adapter } from '../scoring/contract.js';
import type { Workspace } from './load-workspace.js';
import { type ModelFiles, modelFiles } from './model-files.js';

export interface HashedFiles {
  /** Of a split model the content hash of the list of its parts' sha256. */
  readonly sha256: string;
  readonly lora: ReadonlyArray<Adapter & { readonly sha256: string }>;
}

export type HashedModel = Pick<ModelFiles, 'path' | 'bytes'> & HashedFiles;

/** The files of a model with their hashes, or why they cannot be had: missing, cut, or not the promised ones. */
export async function hashModelFiles(
  { models, options }: Pick<Workspace, 'models'> & { readonly options: Pick<Workspace['options'], 'cache'> },
  model: ModelSpec,
): Promise<HashedModel | { readonly reason: string }> {
  if (model.file === undefined)
    return {
      reason: `"${model.id}" has no file in ${models.file} and no imported scores (supportcal import FILE --model ${model.id} ...)`,
    };
  try {
    const files = await modelFiles(models, model);
    const { sha256, lora } = await hashFiles(files, path.join(options.cache, 'model-files.json'));
    if (model.sha256 && model.sha256.toLowerCase() !== sha256) {
      return {
        reason: `${model.file}: its sha256 is ${sha256}, ${models.file} says ${model.sha256}; fetch the file again`,
      };
    }
    return { path: files.path, bytes: files.bytes, sha256, lora };
  } catch (error) {
    if (error instanceof SupportCalError) return { reason: error.message };
    throw error;
  }
}

async function hashFiles({ parts, lora }: ModelFiles, index: string): Promise<HashedFiles> {
  const hashes: string[] = [];
  for (const part of parts) hashes.push(await fileHashCached(part, index));
  const adapters: HashedFiles['lora'][number][] = [];
  for (const adapter of lora) adapters.push({ ...adapter, sha256: await fileHashCached(adapter.path, index) });
  return { sha256: hashes.length === 1 ? hashes[0]! : contentHash(hashes), lora: adapters };
}
