import type { LoadedDatasetSpec } from '../../config/load-dataset-specs.js';
import type { ModelSpec } from '../../config/models-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { makeFolder } from '../../files/make-folder.js';
import { plain } from '../asking/plain.js';
import { variantOf } from '../asking/prompt-forms.js';
import { asksModel } from '../asking/render-ways.js';
import type { AskedPrompts, WayOfAsking } from '../asking/way-of-asking.js';
import type { HubContext } from './open-hub.js';
import { readWorkspace } from './read-workspace.js';
import type { RunOptions } from './run-options.js';
import type { DatasetContent, Workspace, WorkspaceDataset } from './workspace.js';

/**
 * Loads the workspace and makes the cache and output folders, so that a run which cannot keep its results ends before
 * it scores anything. Throws `write-failed` beside the faults of `loadWorkspace`.
 */
export async function openWorkspace(options: RunOptions, context: HubContext = {}): Promise<Workspace> {
  const workspace = await loadWorkspace(options, context);
  await makeFolder(options.cache);
  await makeFolder(options.out);
  return workspace;
}

/** Reads models.yaml and the suite's data sets; reports all faults of them together. */
export async function loadWorkspace(options: RunOptions, context: HubContext = {}): Promise<Workspace> {
  const { workspace, faults } = await readWorkspace(options, context);
  faults.throwIfAny();
  if (workspace === null) throw new SupportCalError('internal', 'no workspace, and no fault that says why');
  return workspace;
}

/** The plain prompts that a model gets on a data set, and their variant; null: the prompt without a variant. */
export function promptsFor({ yaml }: LoadedDatasetSpec, { rendered }: DatasetContent, model: ModelSpec) {
  const variant = variantOf(yaml, model);
  const asked = rendered.get(plain.name)?.promptsOf(model);
  if (asked == null) throw new SupportCalError('internal', `no prompts of variant ${variant} for model "${model.id}"`);
  return { variant, prompts: asked.prompts };
}

/** What a model is asked on a data set in one way; no prompts where the data set has no source. */
export interface Asked extends AskedPrompts {
  readonly way: WayOfAsking;
}

/**
 * Every way in which a model is asked on a data set: none where no target needs the model. A data set without a source
 * has imported scores only, so it is asked in the ways whose scores can be imported.
 */
export function askedOf(
  { suite, ways }: Pick<Workspace, 'suite' | 'ways'>,
  { spec, content }: WorkspaceDataset,
  model: ModelSpec,
): Asked[] {
  if (!suite.needs(spec.id, model.id)) return [];
  const asking = ways.filter((way) => asksModel(way, suite, spec.id, model));
  if (content === null)
    return asking.filter(({ importable }) => importable).map((way) => ({ way, prompts: [], evaluated: [] }));
  return asking.flatMap((way) => {
    const asked = content.rendered.get(way.name)?.promptsOf(model) ?? null;
    return asked === null ? [] : [{ way, ...asked }];
  });
}
