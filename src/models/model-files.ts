import path from 'node:path';
import type { GgufModel } from '../config/source-kind.js';
import type { Adapter } from '../contract/model-place.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { findModel } from '../hub/hub-model.js';
import { checkAdapterFile, checkModelFile } from './gguf/check-model-file.js';
import type { ModelWork } from './gguf/model-work.js';
import { awaitsDownload, firstOf, knownModel } from './hub-models.js';
import type { ModelPlaces } from './model-places.js';
import { adaptersOf } from './model-references.js';

/** The files of one model on this machine. */
export interface ModelFiles {
  /** Absolute path of the GGUF file, or of the first part of a split model. */
  readonly path: string;
  /** Size of all parts together. */
  readonly bytes: number;
  readonly parts: readonly string[];
  /** Parameters of the model, by the header of its file. */
  readonly weights: number;
  /** What it takes of a CPU core, by the same. */
  readonly work: ModelWork;
  readonly lora: readonly Adapter[];
}

/**
 * Finds and checks the file of a model, all its parts and its adapters; the faults of all of them come together.
 *
 * @throws SupportCalError missing-file or bad-input; the fault names the file as models.yaml writes it
 */
export async function modelFiles(
  workspace: Pick<ModelPlaces, 'models' | 'hub'>,
  model: GgufModel,
): Promise<ModelFiles> {
  const errors: SupportCalError[] = [];
  const keep = (error: unknown) => {
    if (!(error instanceof SupportCalError)) throw error;
    errors.push(error);
    return null;
  };
  const base = await baseFile(workspace, model.file).catch(keep);
  const lora: Adapter[] = [];
  for (const { file, scale } of adaptersOf(model)) {
    const at = await adapterFile(workspace, file, base?.architecture ?? null).catch(keep);
    if (at !== null) lora.push({ path: at, scale });
  }
  if (base === null || errors.length > 0) throw oneOf(errors);
  return { path: base.at, bytes: base.bytes, parts: base.files, weights: base.weights, work: base.work, lora };
}

/** What only waits to be fetched is no fault beside one that is. */
function oneOf(errors: readonly SupportCalError[]): SupportCalError {
  const faulty = errors.filter((error) => !awaitsDownload(error));
  const [first = errors[0], ...others] = faulty;
  if (first === undefined) return new SupportCalError('internal', 'a model has neither a file nor a fault');
  if (others.length === 0) return first;
  return new SupportCalError(
    first.code,
    faulty.flatMap(({ faults }) => faults),
  );
}

async function baseFile(workspace: Pick<ModelPlaces, 'models' | 'hub'>, file: string) {
  const at = await modelPath(workspace, file);
  return { at, ...(await checkModelFile(at, file)) };
}

async function adapterFile(
  workspace: Pick<ModelPlaces, 'models' | 'hub'>,
  file: string,
  architecture: string | null,
): Promise<string> {
  const at = await modelPath(workspace, file);
  await checkAdapterFile(at, file, architecture).catch((error) => {
    if (!(error instanceof SupportCalError)) throw error;
    const faults = error.faults.map((fault) => ({ ...fault, message: `LoRA adapter: ${fault.message}` }));
    throw new SupportCalError(error.code, faults);
  });
  return at;
}

/** Absolute path of a GGUF file on this machine: relative paths start at models.yaml, `hf:` is in the cache. */
async function modelPath({ models, hub }: Pick<ModelPlaces, 'models' | 'hub'>, file: string): Promise<string> {
  const known = await knownModel(hub, file);
  if (known === null) return path.resolve(path.dirname(models.file), file);
  const here = await findModel(known, hub);
  if (here !== null) return firstOf(here).path;
  const gigabytes = known.reduce((sum, { listed }) => sum + listed.bytes, 0) / 1e9;
  const message = `is not downloaded yet (${gigabytes.toFixed(2)} GB); \`supportcal score\` and \`pipeline\` fetch it`;
  throw new SupportCalError('missing-file', { file, message });
}
