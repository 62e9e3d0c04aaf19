import type { LoadedDatasetSpec } from '../../config/load-dataset-specs.js';
import type { MethodFile } from '../../config/load-method-files.js';
import type { LoadedModels } from '../../config/load-models.js';
import type { Published } from '../../config/load-published.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { Dataset } from '../../datasets/example/example.js';
import type { HubAccess } from '../../hub/hub-access.js';
import type { RenderedWays } from '../asking/render-ways.js';
import type { WayOfAsking } from '../asking/way-of-asking.js';
import type { RunOptions } from './run-options.js';

/** A data set of the suite. Without a source its rows are the imported ones, so there is nothing to prompt with. */
export interface WorkspaceDataset {
  readonly spec: LoadedDatasetSpec;
  readonly content: DatasetContent | null;
}

export interface DatasetContent {
  readonly dataset: Dataset;
  /** Hash of all rows, also of those that `--limit` leaves out. */
  readonly wholeHash: string;
  /** The plain prompts in the variant that the data set uses; `promptsFor` says which ones a model gets. */
  readonly prompts: readonly ExamplePrompt[];
  /** What models are asked, in each way that some method of the suite needs. */
  readonly rendered: RenderedWays;
}

/** Everything a run reads before any model is touched: checked files and the plan that joins them. */
export interface Workspace {
  readonly options: RunOptions;
  readonly models: LoadedModels;
  readonly suite: SuitePlan;
  readonly datasets: readonly WorkspaceDataset[];
  /** In which ways the models can be asked; plain prompts come first. */
  readonly ways: readonly WayOfAsking[];
  readonly hub: HubAccess;
  /** Files of `--method-file`. */
  readonly methodFiles: readonly MethodFile[];
  /** Numbers to set ours beside; null when the suite names none. */
  readonly published: Published | null;
  /** Why the `hf:` file of a model could not be found, by model id. */
  readonly unfound?: ReadonlyMap<string, string>;
}
