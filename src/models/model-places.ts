import type { LoadedModels } from '../config/load-models.js';
import type { HubAccess } from '../hub/hub-access.js';

/** What says where the files of models are: the paths of models.yaml, and the hub with its folder under the cache. */
export interface ModelPlaces {
  readonly models: LoadedModels;
  readonly hub: HubAccess;
  /** Why the `hf:` file of a model could not be found, by model id. */
  readonly unfound?: ReadonlyMap<string, string>;
}

/** What sources know of a run: where files are, and the cache folder, where the hashes of files are remembered. */
export interface SourceWorkspace extends ModelPlaces {
  readonly options: { readonly cache: string };
}
