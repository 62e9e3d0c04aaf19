import type { InspectedModel, InspectedPrompt } from '../../contract/inspection.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { checkModelFiles } from '../../models/check-model-files.js';
import {
  type Inspection,
  type InspectionJob,
  type InspectOptions,
  inspectModels,
} from '../../scoring/inspect-models.js';
import { loadWorkspace, promptsFor } from '../workspace/load-workspace.js';
import type { RunOptions } from '../workspace/run-options.js';
import type { Workspace } from '../workspace/workspace.js';

/** One example as one model gets it. */
export interface ShownPrompt {
  readonly dataset: string;
  readonly model: string;
  readonly bos: InspectedModel['bos'];
  readonly prompt: InspectedPrompt;
}

export interface InspectionFailure {
  readonly model: string;
  readonly reason: string;
}

export interface PromptFilter {
  /** Ids of models of the suite; all when absent. */
  readonly models?: readonly string[];
  readonly signal?: AbortSignal;
  readonly onTokenised?: InspectOptions['onProgress'];
  /** For tests. */
  readonly backendModule?: string;
}

/**
 * `validate --show-prompt`: the prompt of one example for every model, as text and as tokens. Fails with `usage` when
 * no data set of the suite has the example.
 *
 * @param example an id; a whole number that is no id counts the examples of every data set in the order of their ids
 */
export async function showPrompts(
  options: RunOptions,
  example: string,
  filter: PromptFilter,
): Promise<{ prompts: ShownPrompt[]; failed: InspectionFailure[] }> {
  const workspace = await loadWorkspace(options);
  const wanted = wantedExamples(workspace, example);
  const jobs = await inspectionJobs(workspace, filter.models, (prompts, dataset) =>
    prompts.filter(({ id }) => wanted.get(dataset) === id),
  );
  if (jobs.every((job) => job.jobs.every(({ prompts }) => prompts.length === 0)))
    throw unknownExample(workspace, example);
  const prompts: ShownPrompt[] = [];
  const inspections = await run(jobs, filter, {
    detail: 'pieces',
    onPrompts: (model, dataset, group, bos) =>
      void prompts.push(...group.map((prompt) => ({ dataset, model, bos, prompt }))),
  });
  return { prompts, failed: failures(inspections) };
}

/**
 * Refuses an example or a model that the suite does not have, before anything is tokenised. A workspace with faults is
 * left to `validateWorkspace`, which names them all.
 *
 * @throws SupportCalError usage
 */
export async function refuseUnknown(
  options: RunOptions,
  { example, models }: { readonly example?: string | undefined; readonly models?: readonly string[] | undefined },
): Promise<void> {
  const workspace = await loadWorkspace(options).catch((error) => {
    if (error instanceof SupportCalError && error.code !== 'interrupted') return null;
    throw error;
  });
  if (workspace === null) return;
  refuseUnknownModels(workspace, models);
  if (example === undefined) return;
  const wanted = wantedExamples(workspace, example);
  const isThere = workspace.datasets.some(({ spec, content }) =>
    content?.prompts.some(({ id }) => id === wanted.get(spec.id)),
  );
  if (!isThere) throw unknownExample(workspace, example);
}

/** By data set, the id of the example that a text means there. */
function wantedExamples({ datasets }: Workspace, example: string): Map<string, string> {
  const ids = datasets.map(({ spec, content }) => [spec.id, content?.prompts.map(({ id }) => id) ?? []] as const);
  const isNumber = /^[1-9]\d{0,8}$/.test(example) && !ids.some(([, own]) => own.includes(example));
  return new Map(
    ids.flatMap(([dataset, own]) => {
      const id = isNumber ? own[Number(example) - 1] : example;
      return id === undefined ? [] : [[dataset, id]];
    }),
  );
}

/** What is to be inspected: the models that have a file, with the examples that are wanted. */
export async function inspectionJobs(
  workspace: Workspace,
  only: readonly string[] | undefined,
  wanted: (prompts: readonly ExamplePrompt[], dataset: string) => readonly ExamplePrompt[],
): Promise<InspectionJob[]> {
  refuseUnknownModels(workspace, only);
  const { checked, faults } = await checkModelFiles(workspace);
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  const chosen = checked.filter(({ model }) => only?.includes(model.id) ?? true);
  return chosen.flatMap(({ model, place }) => {
    if (place === null) return [];
    const jobs = workspace.datasets.flatMap(({ spec, content }) => {
      if (content === null) return [];
      const { prompts } = promptsFor(spec, content, model);
      return [{ dataset: spec.id, prompts: wanted(prompts, spec.id) }];
    });
    return [{ model, place, jobs }];
  });
}

function refuseUnknownModels({ suite }: Workspace, only: readonly string[] = []): void {
  const known = suite.models.map((model) => model.id);
  const unknown = only.filter((id) => !known.includes(id));
  const message = (id: string) => `--model "${id}" is not part of suite "${suite.name}"; it has ${known.join(', ')}`;
  if (unknown.length > 0)
    throw new SupportCalError(
      'usage',
      unknown.map((id) => ({ message: message(id) })),
    );
}

function run(jobs: readonly InspectionJob[], filter: PromptFilter, options: InspectOptions): Promise<Inspection[]> {
  const { signal, backendModule, onTokenised } = filter;
  return inspectModels(
    jobs,
    { device: 'cpu' },
    {
      ...options,
      ...(onTokenised && { onProgress: onTokenised }),
      ...(signal && { signal }),
      ...(backendModule !== undefined && { backendModule }),
    },
  );
}

export function failures(inspections: readonly Inspection[]): InspectionFailure[] {
  return inspections.flatMap((each) => (each.kind === 'failed' ? [{ model: each.model, reason: each.reason }] : []));
}

function unknownExample(workspace: Workspace, example: string): SupportCalError {
  const known = workspace.datasets.flatMap(({ spec, content }) => {
    const first = content?.prompts.slice(0, 3).map((prompt) => prompt.id) ?? [];
    return first.length === 0 ? [] : [`${spec.id} has ${first.join(', ')}, ...`];
  });
  return new SupportCalError(
    'usage',
    `no example "${example}" in the data sets of suite "${workspace.suite.name}" ` +
      `(${known.join('; ') || 'none has rows of its own'})`,
  );
}
