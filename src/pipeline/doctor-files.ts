import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { modelReference } from '../hub/hub-model.js';
import type { InspectionJob } from '../scoring/inspect-models.js';
import { promptsFor, type Workspace } from './load-workspace.js';
import { modelFiles } from './model-files.js';

/** A model of the suite: what to look into, or why there is nothing to look into. */
export type InspectableModel =
  | { readonly model: ModelSpec; readonly job: InspectionJob }
  | { readonly model: ModelSpec; readonly reason: string | null };

/** Every model of the suite with all prompts that it would get; a file that is missing or damaged is a reason. */
export async function inspectableModels(workspace: Workspace): Promise<InspectableModel[]> {
  return Promise.all(
    workspace.plan.models.map(async (model): Promise<InspectableModel> => {
      if (model.file === undefined) return { model, reason: null };
      try {
        const { path, bytes } = await modelFiles(workspace, model);
        const jobs = workspace.datasets.flatMap(({ spec, content }) =>
          content === null || !workspace.plan.needs(spec.id, model.id)
            ? []
            : [{ dataset: spec.id, prompts: promptsFor(spec, content, model).prompts }],
        );
        return { model, job: { model, modelPath: path, modelBytes: bytes, jobs } };
      } catch (error) {
        if (!(error instanceof SupportCalError)) throw error;
        // A file of the hub that is not here yet is no problem: a run fetches it.
        if (error.code === 'missing-file' && modelReference(model.file) !== null) return { model, reason: null };
        return { model, reason: error.message };
      }
    }),
  );
}
