import path from 'node:path';
import type { LoadedModels } from '../config/load-models.js';
import type { ModelSpec } from '../config/models-schema.js';

/** `models.yaml:12`, or the line of models.local.yaml; null: scores are imported. */
export function namedIn(models: Pick<LoadedModels, 'placeOfFile'>, model: ModelSpec): string | null {
  if (model.file === undefined) return null;
  const { file, line } = models.placeOfFile(model);
  return `${path.basename(file)}${line === undefined ? '' : `:${line}`}`;
}
