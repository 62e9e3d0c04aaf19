import type { ModelSpec } from '../config/models-schema.js';
import { isGgufModel } from '../config/source-kind.js';
import type { GgufPlace } from '../contract/model-place.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { modelReference } from '../hub/hub-model.js';
import { awaitsDownload } from './hub-models.js';
import { modelFiles } from './model-files.js';
import type { ModelPlaces } from './model-places.js';

export interface CheckedModel {
  readonly model: ModelSpec;
  /** null: no file is needed for its scores, or it is a file of the hub that is not here yet. */
  readonly place: GgufPlace | null;
}

/** Kind, first bytes and size of every model file of the suite, with the faults of all of them together. */
export async function checkModelFiles(
  workspace: ModelPlaces & { readonly suite: { readonly models: readonly ModelSpec[] } },
  models: readonly ModelSpec[] = workspace.suite.models,
): Promise<{ readonly checked: CheckedModel[]; readonly faults: Fault[] }> {
  const faults: Fault[] = [];
  const checked: CheckedModel[] = [];
  for (const model of models) {
    if (!isGgufModel(model)) {
      checked.push({ model, place: null });
      continue;
    }
    const reference = modelReference(model.file);
    // A reference that is none has its fault already.
    if (model.file.startsWith('hf:') && reference === null) continue;
    try {
      const { path, bytes } = await modelFiles(workspace, model);
      checked.push({ model, place: { kind: 'gguf', path, bytes } });
    } catch (error) {
      if (!(error instanceof SupportCalError)) throw error;
      if (awaitsDownload(error)) checked.push({ model, place: null });
      else faults.push(...error.faults.map((fault) => modelFault(workspace, model, `${fault.file}: ${fault.message}`)));
    }
  }
  return { checked, faults };
}

/** A fault of a model's file, at the line that names the file. */
export function modelFault({ models }: Pick<ModelPlaces, 'models'>, model: ModelSpec, message: string): Fault {
  return { ...models.placeOfFile(model), field: `models.${models.models.indexOf(model)}.file`, message };
}
