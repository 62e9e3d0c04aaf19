import { readImportedEntry } from '../../cache/imported-entry.js';
import type { ModelSpec } from '../../config/models-schema.js';
import { sourceOf } from '../../scoring/source/source-of.js';
import type { Workspace } from '../workspace/workspace.js';
import { allEntries, type ModelPlan } from './score-plan.js';

/**
 * Finds out for scoring what the models of the suite stand for where that has to be asked of another machine. A model
 * of which every score was imported is not asked for.
 *
 * @returns why a model could not be found, by model id
 */
export async function lookUpModels(workspace: Workspace): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const model of workspace.suite.models) {
    const source = sourceOf(workspace, model);
    if (!source.needs.network || (await isImported(workspace, model))) continue;
    const reason = await source.lookUp();
    if (reason !== null) reasons.set(model.id, reason);
  }
  return reasons;
}

/**
 * Fetches what is missing of every model that has rows to score. A model that cannot be had fails alone.
 *
 * @returns why, by model id
 */
export async function fetchModels(plans: readonly ModelPlan[]): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const plan of plans) {
    const missing = plan.found?.missing ?? [];
    if (missing.length === 0 || !allEntries(plan).some(({ entry }) => entry.kind === 'open')) continue;
    const reason = await plan.source.fetch();
    if (reason !== null) reasons.set(plan.model.id, reason);
  }
  return reasons;
}

/** Whether every score that the suite needs of a model was imported: then its source is never asked. */
export async function isImported({ options, datasets, suite }: Workspace, model: ModelSpec): Promise<boolean> {
  for (const { spec } of datasets) {
    if (!suite.needs(spec.id, model.id)) continue;
    if ((await readImportedEntry(options.cache, { model: model.id, dataset: spec.id })).kind !== 'complete')
      return false;
  }
  return true;
}
