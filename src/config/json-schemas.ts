import { z } from 'zod';
import { datasetSchema } from './dataset-schema.js';
import { localModelsSchema, modelsFileSchema } from './models-schema.js';
import { publishedSchema } from './published-schema.js';

const TITLES = {
  'dataset.schema.json': ['A data set of SupportCal: datasets/NAME.yaml', datasetSchema],
  'models.schema.json': ['Models and suites of SupportCal: models.yaml', modelsFileSchema],
  'models.local.schema.json': ['Model files of this machine: models.local.yaml', localModelsSchema],
  'published.schema.json': ['Printed results that a suite is set beside', publishedSchema],
} as const;

/**
 * JSON Schemas (2020-12) of the YAML files by file name, for editors: the first line of a YAML names one. What a schema
 * cannot say, such as that an own base exists, `supportcal validate` checks.
 */
export function jsonSchemas(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(TITLES).map(([name, [title, schema]]) => {
      const document = { title, ...z.toJSONSchema(schema, { io: 'input' }) };
      return [name, `${JSON.stringify(document, null, 2)}\n`];
    }),
  );
}
