import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { GgufModel } from '../config/source-kind.js';
import type { Adapter } from '../contract/model-place.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { contentHash } from '../files/content-hash.js';
import { fileHashCached, fileStamp, isHashKept } from '../files/file-hash-cached.js';
import type { HubFile } from '../hub/fetch-hub-file.js';
import { findModel } from '../hub/hub-model.js';
import { isSound } from '../hub/sound-file.js';
import { checkAdapterFile, checkModelFile } from './gguf/check-model-file.js';
import { firstOf, knownModel, originOf } from './hub-models.js';
import { type ModelFiles, modelFiles } from './model-files.js';
import type { SourceWorkspace } from './model-places.js';
import { adaptersOf } from './model-references.js';

export interface HashedFiles {
  /** The file's; for a split model the content hash of the list of its parts' sha256. */
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
    /** Repository, commit and path of a file of the hub; null: a file of this machine. */
    readonly origin: string | null;
    /** Files that are still to be fetched, adapters included. */
    readonly remote: readonly HubFile[];
    /** Every file that was hashed here; those of the hub are checked as they come. */
    readonly seen: readonly SeenFile[];
  };

/** A file that models.yaml names: where it is or will be, and where it is from. */
interface NamedFile {
  readonly written: string;
  /** The files of the hub that it stands for, the first part first; null: it is a path. */
  readonly known: readonly HubFile[] | null;
  readonly here: boolean;
}

type NamedAdapter = NamedFile & { readonly scale: number };

/** The files of a model with their hashes, or why they cannot be had: missing, cut, or not the promised ones. */
export async function hashModelFiles(
  workspace: SourceWorkspace,
  model: GgufModel,
): Promise<HashedModel | { readonly reason: string }> {
  const { models, hub } = workspace;
  try {
    const hasher = new FileHasher(indexOf(workspace));
    const file = await namedFile(model.file, hub, hasher);
    const adapters = await Promise.all(
      adaptersOf(model).map(async ({ file: written, scale }) => ({
        ...(await namedFile(written, hub, hasher)),
        scale,
      })),
    );
    const remote = [file, ...adapters].flatMap(({ here, known }) => (here ? [] : (known ?? [])));
    const hashed =
      remote.length === 0
        ? await hashFiles(await modelFiles(workspace, model), hasher)
        : await listedModel(path.dirname(models.file), file, adapters, hasher);
    const { sha256 } = hashed;
    if (model.sha256 && model.sha256.toLowerCase() !== sha256) {
      return {
        reason: `${model.file}: its sha256 is ${sha256}, ${models.file} says ${model.sha256}; fetch the file again`,
      };
    }
    return { ...hashed, seen: hasher.seen, origin: file.known === null ? null : originOf(file.known), remote };
  } catch (error) {
    if (error instanceof SupportCalError) return { reason: workspace.unfound?.get(model.id) ?? error.message };
    throw error;
  }
}

/** Bytes of files that a run would read for their hashes; those whose hashes are kept are none of them. */
export async function bytesToHash(workspace: SourceWorkspace, paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const each of paths) if (!(await isHashKept(each, indexOf(workspace)))) bytes += (await stat(each)).size;
  return bytes;
}

function indexOf({ options }: SourceWorkspace): string {
  return path.join(options.cache, 'model-files.json');
}

/** A download whose bytes have changed since counts as one that is still to be fetched. */
async function namedFile(written: string, hub: SourceWorkspace['hub'], hasher: FileHasher): Promise<NamedFile> {
  const known = await knownModel(hub, written);
  if (known === null) return { written, known, here: true };
  const found = await findModel(known, hub);
  if (found === null) return { written, known, here: false };
  for (const file of found) if (!(await hasher.isAsListed(file))) return { written, known, here: false };
  return { written, known: found, here: true };
}

/** Hashes files of this machine, whose hashes are remembered in a file, and keeps how each was when it was read. */
class FileHasher {
  readonly seen: SeenFile[] = [];

  constructor(private readonly index: string) {}

  /** Whether a download still has the bytes that the hub lists. */
  async isAsListed({ path: at, listed }: HubFile): Promise<boolean> {
    return listed.sha256 === null ? isSound(at, listed) : (await fileHashCached(at, this.index)) === listed.sha256;
  }

  /** The hash of one file, or of the list of the hashes of all parts. */
  async hash(paths: readonly string[]): Promise<string> {
    const hashes: string[] = [];
    for (const each of paths) {
      const stamp = await fileStamp(each);
      const sha256 = await fileHashCached(each, this.index);
      this.seen.push({ path: each, stamp, sha256 });
      hashes.push(sha256);
    }
    return oneHash(hashes);
  }
}

type Hashed = Omit<HashedModel, 'origin' | 'remote' | 'seen'>;

/**
 * A model of which some file is not here yet: those of the hub by the sizes and hashes that it lists (the scores may be
 * in the cache all the same), those named by a path, which starts at `folder`, by their content.
 */
async function listedModel(
  folder: string,
  file: NamedFile,
  adapters: readonly NamedAdapter[],
  hasher: FileHasher,
): Promise<Hashed> {
  const lora: HashedModel['lora'][number][] = [];
  for (const { written, known, scale } of adapters) {
    const at = known === null ? path.resolve(folder, written) : firstOf(known).path;
    if (known === null) await checkAdapterFile(at, written, null);
    lora.push({ path: at, scale, sha256: known === null ? await hasher.hash([at]) : listedHash(known, written) });
  }
  if (file.known !== null) {
    const bytes = file.known.reduce((sum, { listed }) => sum + listed.bytes, 0);
    return { path: firstOf(file.known).path, bytes, sha256: listedHash(file.known, file.written), lora };
  }
  const at = path.resolve(folder, file.written);
  const { bytes, files } = await checkModelFile(at, file.written);
  return { path: files[0] ?? at, bytes, sha256: await hasher.hash(files), lora };
}

function listedHash(files: readonly HubFile[], written: string): string {
  const hashes = files.map(({ listed }) => {
    if (listed.sha256 !== null) return listed.sha256;
    const message = 'is not downloaded, and its hash cannot be known before it is; fetch it and name the local file';
    throw new SupportCalError('missing-file', { file: written, message });
  });
  return oneHash(hashes);
}

async function hashFiles({ path: file, bytes, parts, lora }: ModelFiles, hasher: FileHasher): Promise<Hashed> {
  const sha256 = await hasher.hash(parts);
  const adapters: HashedModel['lora'][number][] = [];
  for (const adapter of lora) adapters.push({ ...adapter, sha256: await hasher.hash([adapter.path]) });
  return { path: file, bytes, sha256, lora: adapters };
}

/** The hash of a model by those of its parts. */
export function oneHash(hashes: readonly string[]): string {
  const [only, ...others] = hashes;
  return only !== undefined && others.length === 0 ? only : contentHash(hashes);
}
