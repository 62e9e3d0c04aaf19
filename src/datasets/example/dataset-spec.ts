import type { DatasetYaml } from '../../config/dataset-schema.js';

/** One `datasets/NAME.yaml` as the loader of configuration files hands it over. */
export interface DatasetSpec {
  readonly id: string;
  /** Path of the YAML file as the user wrote it; paths inside it are relative to its folder. */
  readonly file: string;
  readonly yaml: DatasetYaml;
  /** Where a field stands in the YAML file. */
  locate(path: readonly (string | number)[]): { line?: number | undefined; column?: number | undefined };
}
