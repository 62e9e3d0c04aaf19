import type { ModelSpec } from './models-schema.js';

/** Where the scores of a model come from: a GGUF file that is scored here, or another program (`supportcal import`). */
export type SourceKind = 'gguf' | 'imported';

/** A model that names its GGUF file. */
export type GgufModel = ModelSpec & { readonly file: string };

/** The kind of source that the entry of a model says. Nothing else decides it. */
export function sourceKindOf({ file }: Pick<ModelSpec, 'file'>): SourceKind {
  return file === undefined ? 'imported' : 'gguf';
}

export function isGgufModel(model: ModelSpec): model is GgufModel {
  return sourceKindOf(model) === 'gguf';
}

/** A model as messages name it: its id, with its file where it has one. */
export function nameWithFile(model: ModelSpec): string {
  return isGgufModel(model) ? `model ${model.id} (${model.file})` : `model ${model.id}`;
}
