import type { FuzzTarget } from './fuzz-case.js';
import { cacheFiles } from './targets/cache.js';
import { importedLogits } from './targets/imports.js';
import { csvRows, jsonlRows } from './targets/rows.js';
import { arrowRows, parquetRows } from './targets/tables.js';
import { datasetYaml, modelsYaml } from './targets/yaml.js';

/** Everything that the fuzzers read with. */
export const TARGETS: readonly FuzzTarget[] = [
  modelsYaml,
  datasetYaml,
  jsonlRows,
  csvRows,
  parquetRows,
  arrowRows,
  importedLogits,
  cacheFiles,
];
