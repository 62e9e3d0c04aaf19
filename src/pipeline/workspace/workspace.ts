import type { LoadedDatasetSpec } from '../../config/load-dataset-specs.js';
import type { MethodFile } from '../../config/load-method-files.js';
import type { LoadedModels } from '../../config/load-models.js';
import type { Published } from '../../config/load-published.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { Dataset } from '../../datasets/example/example.js';
import type { HubAccess } from '../../hub/hub-access.js';
import type { ElicitationForms, ElicitationKind } from '../asking/elicitation-forms.js';
import type { PromptForms } from '../asking/prompt-forms.js';
import type { RotationForms } from '../asking/rotation-forms.js';
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
