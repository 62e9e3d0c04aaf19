import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type LoadedModels, loadModels } from '../../config/load-models.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { GgufModel } from '../../config/source-kind.js';
import type { FoundModel, Unavailable } from '../../contract/source.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { modelReference } from '../../hub/hub-model.js';
import { findByHash, type WantedContent } from '../../models/find-by-hash.js';
import { partName } from '../../models/gguf/model-parts.js';
import { adaptersOf } from '../../models/model-references.js';
import type { Ticket } from '../../queue/wire/messages.js';
import { ggufSource } from '../../scoring/source/gguf-source.js';
import { type HubContext, openHub } from './open-hub.js';

/** Where a worker looks for model files. */
export interface ModelSearch {
  /** models.yaml whose files may be the ones that are asked for; null: there is none. */
  readonly models: string | null;
  readonly quant?: string;
  /** Folders that are looked through for GGUF files, with all that is in them. */
  readonly modelsDirs: readonly string[];
  readonly cache: string;
  /** Nothing is fetched from the hub. */
  readonly offline: boolean;
}

type Found = FoundModel & { readonly model: ModelSpec };

const MOST_FOLDERS_DEEP = 8;

/**
 * A search for the model of a ticket: by the hash of its content among the files of models.yaml and of the folders,
 * then on the hub, from which it is fetched. Names do not matter, and what comes is checked by its hash.
 */
export async function openModelSearch(
  search: ModelSearch,
  context: HubContext,
): Promise<(ticket: Ticket) => Promise<Found | Unavailable>> {
  const models = search.models === null ? noModels() : await loadModels(search.models, { quant: search.quant });
  const hub = await openHub({ cache: search.cache, offline: search.offline, refresh: false }, context);
  const index = path.join(search.cache, 'model-files.json');
  const here = async (wanted: WantedContent) =>
    findByHash(wanted, [...localFiles(models), ...(await inFolders(search.modelsDirs))], index);
  return async (ticket) => {
    const file = (await here(ticket)) ?? ticket.hub;
    if (file === null) return { reason: `${whatIsMissing(ticket)}, and it is on no hub. ${ADVICE}` };
    const lora: { file: string; scale: number }[] = [];
    for (const adapter of ticket.lora) {
      const at = (await here({ sha256: adapter.sha256, bytes: null })) ?? adapter.hub;
      if (at === null) return { reason: `no LoRA adapter here has sha256 ${adapter.sha256}. ${ADVICE}` };
      lora.push({ file: at, scale: adapter.scale });
    }
    const model = asModel(ticket, file, lora);
    const found = await obtain(ggufSource({ models, hub, options: search }, model));
    if ('reason' in found) return { reason: `${whatIsMissing(ticket)}: ${found.reason}` };
    const other = [found, ...found.lora].some(
      ({ sha256 }, n) => sha256 !== [ticket, ...ticket.lora][n]?.sha256.toLowerCase(),
    );
    return other ? { reason: `${whatIsMissing(ticket)}: what the hub has is another file` } : { ...found, model };
  };
}

const ADVICE = 'Name the folder with --models-dir, or a models.yaml with --models';

function whatIsMissing({ sha256, bytes }: Ticket): string {
  return `no file here has ${bytes} bytes and sha256 ${sha256}`;
}

/** Looks up, fetches and finds; a fault of one model ends nothing but its own search. */
async function obtain(source: ReturnType<typeof ggufSource>): Promise<FoundModel | Unavailable> {
  try {
    const unknown = source.needs.network ? await source.lookUp() : null;
    if (unknown !== null) return { reason: unknown };
    const first = await source.find();
    if ('reason' in first || first.missing.length === 0) return first;
    const unfetched = await source.fetch();
    return unfetched === null ? await source.find() : { reason: unfetched };
  } catch (error) {
    if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
    return { reason: error.message };
  }
}

/** The entry that a models.yaml would have for it here; role and bucket play no part in a score. */
function asModel({ model }: Ticket, file: string, lora: { file: string; scale: number }[]): GgufModel {
  return { ...model, role: 'base', bucket: 'default', file, ...(lora.length > 0 && { lora }) } as GgufModel;
}

function localFiles(models: LoadedModels): string[] {
  const written = models.models.flatMap((model) => [model.file ?? [], ...adaptersOf(model).map(({ file }) => file)]);
  const paths = written.flat().filter((file) => modelReference(file) === null);
  return [...new Set(paths.map((file) => path.resolve(path.dirname(models.file), file)))];
}

/** All GGUF files of the folders; of a split model the first part. */
async function inFolders(folders: readonly string[], depth = 0): Promise<string[]> {
  const files: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const at = path.join(path.resolve(folder), entry.name);
      const isFolder =
        entry.isDirectory() || (entry.isSymbolicLink() && (await stat(at).catch(() => null))?.isDirectory());
      if (isFolder && depth < MOST_FOLDERS_DEEP) files.push(...(await inFolders([at], depth + 1)));
      else if (/\.gguf$/i.test(entry.name) && (partName(at)?.part ?? 1) === 1) files.push(at);
    }
  }
  return files;
}

function noModels(): LoadedModels {
  const file = 'models.yaml';
  return { file, localFile: null, models: [], suites: {}, locate: () => ({}), placeOfFile: () => ({ file }) };
}
