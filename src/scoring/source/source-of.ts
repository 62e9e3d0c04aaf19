import type { ModelSpec } from '../../config/models-schema.js';
import { isEndpointModel, isGgufModel } from '../../config/source-kind.js';
import type { ModelSource } from '../../contract/source.js';
import type { SourceWorkspace } from '../../models/model-places.js';
import { endpointSource } from './endpoint-source.js';
import { ggufSource } from './gguf-source.js';
import { importedSource } from './imported-source.js';

/** The source of a model's scores. Imported entries come before it, entry by entry, whatever its kind. */
export function sourceOf(workspace: SourceWorkspace, model: ModelSpec): ModelSource {
  if (isEndpointModel(model)) return endpointSource(workspace, model);
  return isGgufModel(model) ? ggufSource(workspace, model) : importedSource(workspace, model);
}
