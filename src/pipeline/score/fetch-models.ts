import { readImportedEntry } from '../../cache/imported-entry.js';
import type { ModelSpec } from '../../config/models-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { fetchModel, listModel, modelReference } from '../../hub/hub-model.js';
import { knownModel, overrideAdvice } from '../../models/hub-models.js';
import { hubReferences } from '../../models/model-references.js';
import type { Workspace } from '../workspace/workspace.js';
import { allEntries, type ModelPlan } from './score-plan.js';

/**
 * Finds out for scoring what the `hf:` references of the suite stand for, adapters included: commit, size and hash of
 * each file. A model of which every score was imported is not asked for. Afterwards `knownModel` answers without a
 * connection.
 *
 * @returns why a model could not be found, by model id
 */
export async function lookUpModels(workspace: Workspace): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const model of workspace.plan.models) {
    const files = hubReferences(model);
    if (files.length === 0 || (await isImported(workspace, model))) continue;
    for (const file of files) {
      const reference = modelReference(file);
      if (reference === null) continue;
      await listModel(reference, workspace.hub).catch(keepReason(reasons, model, overrideAdvice(model, file)));
    }
  }
  return reasons;
}

/**
 * Fetches the files of every model that has rows to score. A model whose file cannot be had fails alone.
 *
 * @returns why, by model id
 */
export async function fetchModels(workspace: Workspace, plans: readonly ModelPlan[]): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const plan of plans) {
    if (
      plan.file === null ||
      plan.file.remote.length === 0 ||
      !allEntries(plan).some(({ entry }) => entry.kind === 'open')
    )
      continue;
    const { model } = plan;
    for (const file of hubReferences(model)) {
      if (reasons.has(model.id)) break;
      const listed = await knownModel(workspace.hub, file);
      if (listed === null) throw new SupportCalError('internal', `${file} was not looked up before it was fetched`);
      await fetchModel(listed, workspace.hub).catch(keepReason(reasons, model, overrideAdvice(model, file)));
    }
  }
  return reasons;
}

/** Whether every score that the suite needs of a model was imported: then its file is never asked for. */
export async function isImported({ options, datasets, plan }: Workspace, model: ModelSpec): Promise<boolean> {
  for (const { spec } of datasets) {
    if (!plan.needs(spec.id, model.id)) continue;
    if ((await readImportedEntry(options.cache, { model: model.id, dataset: spec.id })).kind !== 'complete')
      return false;
  }
  return true;
}

function keepReason(reasons: Map<string, string>, model: ModelSpec, advice = '') {
  return (error: unknown) => {
    if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
    reasons.set(model.id, `${error.message}${advice}`);
  };
}
