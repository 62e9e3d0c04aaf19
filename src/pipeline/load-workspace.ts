import { type LoadedDatasetSpec, loadDatasetSpecs } from '../config/load-dataset-specs.js';
import { loadMethodFiles, type MethodFile } from '../config/load-method-files.js';
import { type LoadedModels, loadModels } from '../config/load-models.js';
import { loadPublished, type Published } from '../config/load-published.js';
import type { ModelSpec } from '../config/models-schema.js';
import { planSuite, type SuitePlan } from '../config/plan-suite.js';
import type { Dataset } from '../datasets/example.js';
import { limitDataset } from '../datasets/limit-dataset.js';
import { loadDataset } from '../datasets/load-dataset.js';
import type { ExamplePrompt } from '../datasets/prompt.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { makeFolder } from '../files/make-folder.js';
import type { HubAccess } from '../hub/hub-access.js';
import {
  ELICITATION_KINDS,
  type ElicitationForms,
  type ElicitationKind,
  renderElicitationForms,
} from './elicitation-forms.js';
import { withLocalSources } from './local-sources.js';
import { type HubContext, openHub } from './open-hub.js';
import { type PromptForms, renderForms, variantOf } from './prompt-forms.js';
import { type RotationForms, renderRotationForms, rotationsFor } from './rotation-forms.js';
import type { RunOptions } from './run-options.js';

/** A data set of the suite. Without a source its rows are the imported ones, so there is nothing to prompt with. */
export interface WorkspaceDataset {
  readonly spec: LoadedDatasetSpec;
  readonly content: DatasetContent | null;
}

export interface DatasetContent {
  readonly dataset: Dataset;
  /** Of all rows, also where `--limit` leaves some out. */
  readonly wholeHash: string;
  /** In the form that the data set uses; what a model is asked with says `promptsFor`. */
  readonly prompts: readonly ExamplePrompt[];
  readonly forms: PromptForms;
  /** What targets are asked for methods that rotate the options; empty when there is none. */
  readonly rotations: RotationForms;
  /** What targets are asked for methods that need replies or P(True). */
  readonly elicitation: ElicitationForms;
}

/**
 * plain: one prompt per example; rotations: its options in every cyclic order; elicitation: one greedy reply;
 * elicitation-ensemble: several sampled ones; p-true: whether each option is right.
 */
export type PromptKind = 'plain' | 'rotations' | ElicitationKind;

/** Everything a run reads before any model is touched: checked files and the plan that joins them. */
export interface Workspace {
  readonly options: RunOptions;
  readonly models: LoadedModels;
  readonly plan: SuitePlan;
  readonly datasets: readonly WorkspaceDataset[];
  readonly hub: HubAccess;
  /** Files of `--method-file`. */
  readonly methodFiles: readonly MethodFile[];
  /** Numbers to set ours beside; null when the suite names none. */
  readonly published: Published | null;
  /** Why the `hf:` file of a model could not be found, by model id. */
  readonly unfound?: ReadonlyMap<string, string>;
}

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

/** Reads models.yaml and the suite's data sets; reports the faults of all data sets together. */
export async function loadWorkspace(options: RunOptions, context: HubContext = {}): Promise<Workspace> {
  const methodFiles = await loadMethodFiles(options.methodFiles ?? []);
  const ownMethods = methodFiles.flatMap(({ methods }) => methods);
  const models = await loadModels(options.models, {
    quant: options.quant,
    ...(context.unknownMethods !== 'leave-out' && {
      methodsOf: { suite: options.suite, own: ownMethods.map(({ name }) => name) },
    }),
  });
  const hub = await openHub(options, context);
  const plan = planSuite(models, {
    suite: options.suite,
    ownMethods,
    ...(options.datasetIds && { datasets: options.datasetIds }),
    ...(options.targetIds && { targets: options.targetIds }),
    ...(options.seeds && { seeds: options.seeds }),
    ...(options.calibrationFraction !== undefined && { calibrationFraction: options.calibrationFraction }),
    ...(options.diagnostics && { diagnostics: options.diagnostics }),
    ...(options.listCombinations && { listCombinations: true }),
    ...(options.bins !== undefined && { bins: options.bins }),
    ...(options.binEdges && { binEdges: options.binEdges }),
    ...(options.edgeRule && { edgeRule: options.edgeRule }),
    ...(options.bootstrap !== undefined && { bootstrap: options.bootstrap }),
  });
  const specs = withLocalSources(await loadDatasetSpecs(options.datasets, plan.datasets), options.sources);
  const datasets: WorkspaceDataset[] = [];
  const faults: Fault[] = [];
  for (const spec of specs) {
    try {
      datasets.push({
        spec,
        content: spec.yaml.source === undefined ? null : await loadContent(spec, plan, options.limit, hub),
      });
    } catch (error) {
      if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
      if (context.missingData === 'leave-empty' && isHubSource(spec)) datasets.push({ spec, content: null });
      else faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  return { options, models, plan, datasets, hub, methodFiles, published: await loadPublished(models, plan.name) };
}

function isHubSource({ yaml: { source } }: LoadedDatasetSpec): boolean {
  return typeof source === 'object' && source.hub !== undefined;
}

async function loadContent(
  spec: LoadedDatasetSpec,
  plan: SuitePlan,
  limit: number | undefined,
  hub: HubAccess,
): Promise<DatasetContent> {
  const whole = await loadDataset(spec, hub);
  const dataset = limit === undefined ? whole : limitDataset(whole, limit);
  const forms = renderForms(dataset, spec, plan.models);
  const rotations = renderRotationForms(dataset, spec, plan);
  const elicitation = renderElicitationForms(dataset, spec, plan);
  const prompts = forms.get(spec.yaml.variant ?? null)!;
  return { dataset, wholeHash: whole.hash, prompts, forms, rotations, elicitation };
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
}

/** Every way in which a model is asked on a data set: not at all where no target needs it, else plainly, and a target with rotated options where a method needs it. */
export function askedOf({ plan }: Pick<Workspace, 'plan'>, dataset: WorkspaceDataset, model: ModelSpec): Asked[] {
  const { spec, content } = dataset;
  if (!plan.needs(spec.id, model.id)) return [];
  if (content === null) return [{ kind: 'plain', prompts: [] }];
  const plain: Asked = { kind: 'plain', prompts: promptsFor(spec, content, model).prompts };
  const rotated = rotationsFor(plan, spec, content.rotations, model);
  return [
    plain,
    ...(rotated === null ? [] : [{ kind: 'rotations' as const, prompts: rotated }]),
    ...ELICITATION_KINDS.flatMap((kind) => {
      const prompts = content.elicitation[kind].get(model.id);
      return prompts === undefined || typeof prompts === 'string' ? [] : [{ kind, prompts }];
    }),
  ];
}
