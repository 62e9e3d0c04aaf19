import type { LoadedModels } from './load-models.js';
import { modelSchema } from './models-schema.js';

/** What stands in place of models.yaml where one file is named: its folder is the working directory. */
const NAMED = '--model';

/** Models with one entry, that of a GGUF file: a path, or `hf:owner/repo/file.gguf`. */
export function loadedModel(file: string, prompt: 'raw' | 'chat'): LoadedModels {
  const model = modelSchema.parse({ id: file, role: 'base', file, prompt });
  return {
    file: NAMED,
    localFile: null,
    models: [model],
    suites: {},
    locate: () => ({}),
    placeOfFile: () => ({ file }),
  };
}
