import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { fetchModel, listModel, modelReference } from '../hub/hub-model.js';
import { knownModel, overrideAdvice } from './hub-models.js';
import type { ModelPlaces } from './model-places.js';
import { hubReferences } from './model-references.js';

/**
 * Finds out what the `hf:` references of a model and its adapters stand for: commit, size and hash of each file.
 * Afterwards `knownModel` answers without a connection.
 *
 * @returns why some file could not be found; null when all are known
 */
export async function lookUpModelFiles({ hub }: Pick<ModelPlaces, 'hub'>, model: ModelSpec): Promise<string | null> {
  let reason: string | null = null;
  for (const file of hubReferences(model)) {
    const reference = modelReference(file);
    if (reference === null) continue;
    reason = (await whyNot(listModel(reference, hub), overrideAdvice(model, file))) ?? reason;
  }
  return reason;
}

/**
 * Fetches the files of a model and its adapters from the hub; those that are here are not fetched again.
 *
 * @returns why some file cannot be had; null when all are here
 */
export async function fetchModelFiles({ hub }: Pick<ModelPlaces, 'hub'>, model: ModelSpec): Promise<string | null> {
  for (const file of hubReferences(model)) {
    const listed = await knownModel(hub, file);
    if (listed === null) continue;
    const reason = await whyNot(fetchModel(listed, hub), overrideAdvice(model, file));
    if (reason !== null) return reason;
  }
  return null;
}

async function whyNot(work: Promise<unknown>, advice: string): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
    return `${error.message}${advice}`;
  }
}
