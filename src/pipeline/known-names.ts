import { loadDatasetSpecs } from '../config/load-dataset-specs.js';
import { loadModels } from '../config/load-models.js';

/** Names that flags take. */
export interface KnownNames {
  readonly suites: readonly string[];
  readonly models: readonly string[];
  readonly targets: readonly string[];
  readonly datasets: readonly string[];
}

/** The names in models.yaml and the folder of data sets; none of a file that cannot be read. */
export async function knownNames(modelsFile: string, datasetsFolder: string): Promise<KnownNames> {
  const models = await loadModels(modelsFile, {}).catch(() => null);
  const specs = await loadDatasetSpecs(datasetsFolder, null).catch(() => []);
  return {
    suites: Object.keys(models?.suites ?? {}),
    models: models?.models.map(({ id }) => id) ?? [],
    targets: models?.models.filter(({ role }) => role === 'post-trained').map(({ id }) => id) ?? [],
    datasets: specs.map(({ id }) => id),
  };
}
