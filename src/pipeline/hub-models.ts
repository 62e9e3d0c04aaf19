import { readImportedEntry } from '../cache/imported-entry.js';
import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { HubFile } from '../hub/fetch-hub-file.js';
import type { HubAccess } from '../hub/hub-access.js';
import { isNotFound } from '../hub/hub-fault.js';
import { fetchModel, listModel, modelReference } from '../hub/hub-model.js';
import type { Workspace } from './load-workspace.js';
import { hubReferences } from './model-references.js';
import { allEntries, type ModelPlan } from './score-plan.js';

/**
 * Finds out for scoring what the `hf:` references of the suite stand for, adapters included: commit, size and hash of each
 * file. A model of which every score was imported is not asked for. Afterwards `knownModel` answers without a connection.
 *
 * @returns why a model could not be found, by model id
 */
export async function lookUpModels(workspace: Workspace): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const model of workspace.plan.models) {
    const files = hubReferences(model);
    if (files.length === 0 || (await isImported(workspace, model))) continue;
    for (const file of files) {
      await listModel(modelReference(file)!, workspace.hub).catch(
        keepReason(reasons, model, overrideAdvice(model, file)),
      );
    }
  }
  return reasons;
}

/**
 * The files of a model of the hub as an earlier look-up found them, here or not; null when it is no model of the hub.
 *
 * @throws SupportCalError missing-file when it was never looked up, or when the look-up has no such file
 */
export async function knownModel(hub: HubAccess, file: string): Promise<HubFile[] | null> {
  const reference = modelReference(file);
  if (reference === null) return null;
  return listModel(reference, { ...hub, offline: true }).catch((error) => {
    if (!(error instanceof SupportCalError) || isNotFound(error)) throw error;
    const message = 'is not looked up yet; `supportcal score` and `pipeline` fetch it';
    throw new SupportCalError('missing-file', { file, message }, { cause: error });
  });
}

/** Whether a fault of a model's files is only that some are still to be fetched, which a run does. */
export function awaitsDownload(error: SupportCalError): boolean {
  const remote = error.faults.every(({ file }) => file?.startsWith('hf:'));
  return error.code === 'missing-file' && remote && !isNotFound(error);
}

/** `hub owner/name@<commit> <file>`, where a model file is from. */
export function originOf([first]: readonly HubFile[]): string {
  return `hub ${first!.repository.name}@${first!.commit} ${first!.listed.path}`;
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
      await fetchModel(listed!, workspace.hub).catch(keepReason(reasons, model, overrideAdvice(model, file)));
    }
  }
  return reasons;
}

/** How to go on with another file than the hub has under this name. */
export function overrideAdvice({ id, file }: ModelSpec, asked: string): string {
  if (asked !== file) return '';
  return `; to use another file, write models.local.yaml beside models.yaml with models: [{ id: ${id}, file: PATH or hf:owner/repo/file.gguf }]`;
}

function keepReason(reasons: Map<string, string>, model: ModelSpec, advice = '') {
  return (error: unknown) => {
    if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
    reasons.set(model.id, `${error.message}${advice}`);
  };
}

/** Whether every score that the suite needs of a model was imported: then its file is never asked for. */
export async function isImported({ options, datasets, plan }: Workspace, model: ModelSpec): Promise<boolean> {
  for (const { spec } of datasets) {
    if (!plan.needs(spec.id, model.id)) continue;
    if ((await readImportedEntry(options.cache, model.id, spec.id)).kind !== 'complete') return false;
  }
  return true;
}
