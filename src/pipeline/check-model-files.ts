import type { ModelSpec } from '../config/models-schema.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { modelReference } from '../hub/hub-model.js';
import type { Workspace } from './load-workspace.js';
import { type ModelFiles, modelFiles } from './model-files.js';

export interface CheckedModel {
  readonly model: ModelSpec;
  /** null: its scores are imported, or it is a file of the hub that is not here yet. */
  readonly file: ModelFiles | null;
}

/** Kind, first bytes and size of every model file of the suite; throws with the faults of all of them together. */
export async function checkModelFiles(workspace: Workspace): Promise<CheckedModel[]> {
  const faults: Fault[] = [];
  const checked: CheckedModel[] = [];
  for (const model of workspace.plan.models) {
    if (model.file === undefined) {
      checked.push({ model, file: null });
      continue;
    }
    try {
      checked.push({ model, file: await modelFiles(workspace, model) });
    } catch (error) {
      if (!(error instanceof SupportCalError)) throw error;
      if (modelReference(model.file) !== null && error.code === 'missing-file') {
        checked.push({ model, file: null });
        continue;
      }
      const index = workspace.models.models.indexOf(model);
      const at = { ...workspace.models.placeOfFile(model), field: `models.${index}.file` };
      faults.push(
        ...error.faults.map((fault) => ({
          ...at,
          message: `${fault.file}: ${fault.message}`,
        })),
      );
    }
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  return checked;
}
