import type { LoadedDatasetSpec } from '../../config/load-dataset-specs.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import { makeFolder } from '../../files/make-folder.js';
import { ELICITATION_KINDS } from '../asking/elicitation-forms.js';
import { variantOf } from '../asking/prompt-forms.js';
import { rotationMethods, rotationsFor } from '../asking/rotation-forms.js';
import type { HubContext } from './open-hub.js';
import { readWorkspace } from './read-workspace.js';
import type { RunOptions } from './run-options.js';
import type { DatasetContent, PromptKind, Workspace, WorkspaceDataset } from './workspace.js';

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
  return workspace!;
}

/** What a model of the suite is asked on a data set, and in which variant; null: the plain prompt. */
export function promptsFor(spec: LoadedDatasetSpec, content: DatasetContent, model: ModelSpec) {
  const variant = variantOf(spec.yaml, model);
  return { variant, prompts: content.forms.get(variant)! };
}

/** What a model is asked on a data set in one way; no prompts where the data set has no source. */
export interface Asked {
  readonly kind: PromptKind;
  readonly prompts: readonly ExamplePrompt[];
  /** What of them is evaluated: orders of the options without the first one, whose scores are the plain ones. */
  readonly evaluated: readonly ExamplePrompt[];
}

/** Every way in which a model is asked on a data set: not at all where no target needs it, else plainly, and a target with rotated options where a method needs it. */
export function askedOf({ plan }: Pick<Workspace, 'plan'>, dataset: WorkspaceDataset, model: ModelSpec): Asked[] {
  const { spec, content } = dataset;
  if (!plan.needs(spec.id, model.id)) return [];
  if (content === null) {
    // What such a data set is scored with is imported, also under other orders of the options.
    const isTarget = plan.targetsOf(spec.id).some(({ target }) => target.id === model.id);
    const rotates = isTarget && rotationMethods({ methods: plan.methodsOf(spec.id) }).length > 0;
    const none = { prompts: [], evaluated: [] };
    return [{ kind: 'plain', ...none }, ...(rotates ? [{ kind: 'rotations' as const, ...none }] : [])];
  }
  const { prompts: plain } = promptsFor(spec, content, model);
  const rotated = rotationsFor(plan, spec, content.rotations, model);
  return [
    { kind: 'plain', prompts: plain, evaluated: plain },
    ...(rotated === null ? [] : [{ kind: 'rotations' as const, ...rotated }]),
    ...ELICITATION_KINDS.flatMap((kind) => {
      const prompts = content.elicitation[kind].get(model.id);
      return prompts === undefined || typeof prompts === 'string' ? [] : [{ kind, prompts, evaluated: prompts }];
    }),
  ];
}
