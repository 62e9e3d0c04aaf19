import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { HubFile } from '../hub/fetch-hub-file.js';
import type { HubAccess } from '../hub/hub-access.js';
import { isNotFound } from '../hub/hub-fault.js';
import { listModel, modelReference } from '../hub/hub-model.js';

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
export function originOf(files: readonly HubFile[]): string {
  const { repository, commit, listed } = firstOf(files);
  return `hub ${repository.name}@${commit} ${listed.path}`;
}

/** The file of a model of the hub, or its first part: `listModel` answers with at least one. */
export function firstOf([first]: readonly HubFile[]): HubFile {
  if (first === undefined) throw new SupportCalError('internal', 'a model of the hub has no file');
  return first;
}

/** How to go on with another file than the hub has under this name. */
export function overrideAdvice({ id, file }: ModelSpec, asked: string): string {
  if (asked !== file) return '';
  const entry = `{ id: ${id}, file: PATH or hf:owner/repo/file.gguf }`;
  return `; to use another file, write models.local.yaml beside models.yaml with models: [${entry}]`;
}
