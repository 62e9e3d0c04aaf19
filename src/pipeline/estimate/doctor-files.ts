import type { ModelSpec } from '../../config/models-schema.js';
import type { InspectionJob } from '../../scoring/inspect-models.js';
import { sourceOf } from '../../scoring/source/source-of.js';
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
 * Every model of the suite with all prompts that it would get, in every way that a method asks it; a model that is
 * missing or damaged is a reason.
 */
export async function inspectableModels(workspace: Workspace): Promise<InspectableModel[]> {
  return Promise.all(
    workspace.suite.models.map(async (model): Promise<InspectableModel> => {
      const place = (await sourceOf(workspace, model).inspect?.()) ?? { reason: null };
      if ('reason' in place) return { model, reason: place.reason };
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
      return { model, job: { model, place, jobs }, asked };
    }),
  );
}
