import type { DatasetYaml } from '../../config/dataset-schema.js';

/** One `datasets/NAME.yaml` as the loader of configuration files hands it over. */
export interface DatasetSpec {
  readonly id: string;
  /** Path of the YAML file as the user wrote it; paths inside it are relative to its folder. */
  readonly file: string;
  /** Hash of the YAML file as it was read; absent: it is from no file. */
  readonly sha256?: string;
  readonly yaml: DatasetYaml;
  /**
   * Paths of the YAML that may lie outside the project, because the user said so: all, or those that the command line
   * named. Default: none.
   */
  readonly outside?: 'all' | readonly string[];
  /** Where a field stands in the YAML file. */
  locate(path: readonly (string | number)[]): { line?: number | undefined; column?: number | undefined };
}
