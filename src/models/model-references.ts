import path from 'node:path';
import type { LoadedModels } from '../config/load-models.js';
import type { ModelSpec } from '../config/models-schema.js';
import { isGgufModel } from '../config/source-kind.js';
import { modelReference } from '../hub/hub-model.js';

/** The adapters of a model, as models.yaml names them. */
export function adaptersOf({ lora = [] }: Pick<ModelSpec, 'lora'>): ReadonlyArray<{ file: string; scale: number }> {
  return typeof lora === 'string' ? [{ file: lora, scale: 1 }] : lora;
}

/** Every file of the hub that a model and its adapters name, as `hf:` references. */
export function hubReferences(model: Pick<ModelSpec, 'file' | 'lora'>): string[] {
  const files = [model.file ?? '', ...adaptersOf(model).map(({ file }) => file)];
  return files.filter((file) => modelReference(file) !== null);
}

/** `models.yaml:12`, or the line of models.local.yaml; null: no file is named. */
export function namedIn(models: Pick<LoadedModels, 'placeOfFile'>, model: ModelSpec): string | null {
  if (!isGgufModel(model)) return null;
  const { file, line } = models.placeOfFile(model);
  return `${path.basename(file)}${line === undefined ? '' : `:${line}`}`;
}
