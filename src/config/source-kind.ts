import { redactSecrets } from '../errors/redact-secrets.js';
import type { EndpointSpec, ModelSpec } from './models-schema.js';

/**
 * Where the scores of a model come from: a GGUF file that is scored here, a server that is asked, or another program
 * (`supportcal import`).
 */
export type SourceKind = 'gguf' | 'endpoint' | 'imported';

/** A model that names its GGUF file. */
export type GgufModel = ModelSpec & { readonly file: string };

/** A model that names its server. */
export type EndpointModel = ModelSpec & { readonly endpoint: EndpointSpec };

/** The kind of source that the entry of a model says. Nothing else decides it. */
export function sourceKindOf({ file, endpoint }: Pick<ModelSpec, 'file' | 'endpoint'>): SourceKind {
  if (file !== undefined) return 'gguf';
  return endpoint === undefined ? 'imported' : 'endpoint';
}

export function isGgufModel(model: ModelSpec): model is GgufModel {
  return sourceKindOf(model) === 'gguf';
}

export function isEndpointModel(model: ModelSpec): model is EndpointModel {
  return sourceKindOf(model) === 'endpoint';
}

/** A model as messages name it: its id, with its file or its name on the server where it has one. */
export function nameWithFile(model: ModelSpec): string {
  if (isEndpointModel(model))
    return `model ${model.id} (${model.endpoint.model} on ${new URL(model.endpoint.url).host})`;
  return isGgufModel(model) ? `model ${model.id} (${model.file})` : `model ${model.id}`;
}

/** Where a model is, without secrets: its file as written, or its name and server; null: scores are imported. */
export function shownPlace(model: ModelSpec): string | null {
  if (isEndpointModel(model)) return `${model.endpoint.model} on ${model.endpoint.url} (${model.endpoint.api})`;
  return isGgufModel(model) ? redactSecrets(model.file) : null;
}
