import type { ModelSpec } from '../../config/models-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { isNotFound } from '../../hub/hub-fault.js';
import { awaitsDownload, overrideAdvice } from '../../models/hub-models.js';
import { modelFiles } from '../../models/model-files.js';
import type { InspectionJob } from '../../scoring/inspect-models.js';
import { askedOf } from '../workspace/load-workspace.js';
import type { Workspace } from '../workspace/workspace.js';

export interface AskedPrompts {
  readonly dataset: string;
  /** Name of the way of asking. */
  readonly kind: string;
}

/** A model of the suite: what to look into, or why there is nothing to look into. */
export type InspectableModel =
  /** `asked` says what each part of the job is. */
  | { readonly model: ModelSpec; readonly job: InspectionJob; readonly asked: readonly AskedPrompts[] }
  | { readonly model: ModelSpec; readonly reason: string | null };

/**
 * Every model of the suite with all prompts that it would get, in every way that a method asks it; a file that is
 * missing or damaged is a reason.
 */
export async function inspectableModels(workspace: Workspace): Promise<InspectableModel[]> {
  return Promise.all(
    workspace.plan.models.map(async (model): Promise<InspectableModel> => {
      if (model.file === undefined) return { model, reason: null };
      try {
        const { path, bytes } = await modelFiles(workspace, model);
        const jobs = workspace.datasets.flatMap((dataset) =>
          dataset.content === null
            ? []
            : askedOf(workspace, dataset, model).map(({ way, evaluated: prompts }) => ({
                dataset: dataset.spec.id,
                kind: way.name,
                prompts,
              })),
        );
        const asked = jobs.map(({ dataset, kind }) => ({ dataset, kind }));
        return { model, job: { model, modelPath: path, modelBytes: bytes, jobs }, asked };
      } catch (error) {
        if (!(error instanceof SupportCalError)) throw error;
        // A file of the hub that is not here yet is no problem: a run fetches it.
        if (awaitsDownload(error)) return { model, reason: null };
        const advice = isNotFound(error) ? overrideAdvice(model, model.file) : '';
        return { model, reason: `${error.message}${advice}` };
      }
    }),
  );
}
