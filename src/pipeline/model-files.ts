import path from 'node:path';
import type { LoadedModels } from '../config/load-models.js';
import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { checkAdapterFile, checkModelFile } from '../scoring/check-model-file.js';
import type { Adapter } from '../scoring/contract.js';
import { modelPath } from './load-workspace.js';

/** The files of one model on this machine. */
export interface ModelFiles {
  /** Absolute path of the GGUF file, or of the first part of a split model. */
  readonly path: string;
  /** Of all parts. */
  readonly bytes: number;
  readonly parts: readonly string[];
  readonly lora: readonly Adapter[];
}

/**
 * Finds and checks the file of a model, all its parts and its adapters.
 *
 * @throws SupportCalError missing-file or bad-input; the fault names the file as models.yaml writes it
 */
export async function modelFiles(models: LoadedModels, model: ModelSpec): Promise<ModelFiles> {
  const file = modelPath(models, model);
  const { bytes, files: parts, architecture } = await checkModelFile(file, model.file!);
  const lora: Adapter[] = [];
  for (const adapter of adaptersOf(model)) {
    const at = path.resolve(path.dirname(models.file), adapter.file);
    await checkAdapterFile(at, adapter.file, architecture).catch((error) => {
      if (!(error instanceof SupportCalError)) throw error;
      const faults = error.faults.map((fault) => ({ ...fault, message: `LoRA adapter: ${fault.message}` }));
      throw new SupportCalError(error.code, faults);
    });
    lora.push({ path: at, scale: adapter.scale });
  }
  return { path: file, bytes, parts, lora };
}

function adaptersOf({ lora = [] }: ModelSpec): ReadonlyArray<{ file: string; scale: number }> {
  return typeof lora === 'string' ? [{ file: lora, scale: 1 }] : lora;
}
