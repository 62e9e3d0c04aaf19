import path from 'node:path';
import { nearest } from '../errors/nearest.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { outsideFolders } from '../files/outside-folders.js';
import { modelReference } from '../hub/hub-model.js';
import { applyLocalModels, type FilePlace } from './apply-local-models.js';
import { checkSchema } from './check-schema.js';
import { METHODS, type ModelSpec, type ModelsFile, modelsFileSchema } from './models-schema.js';
import { readYamlFile } from './read-yaml-file.js';
import type { FieldPath } from './yaml-document.js';

export interface LoadedModels extends ModelsFile {
  /** Path as the user gave it. */
  readonly file: string;
  /** `models.local.yaml` where there is one. */
  readonly localFile: string | null;
  locate(path: FieldPath): { line?: number; column?: number };
  /** Where the file of a model is written: in models.yaml, or in models.local.yaml. */
  placeOfFile(model: ModelSpec): FilePlace;
}

/** The suite whose methods must be known, and those that are known beside the built-in ones. */
export interface MethodCheck {
  readonly suite: string;
  readonly own: readonly string[];
}

/**
 * Reads models.yaml, puts the quantisation and the files of models.local.yaml in, and checks what one entry says of another: unique ids, own bases that exist and are bases,
 * suites that name known models, relative paths that stay in the project. Throws `missing-file` or `bad-input` with all faults.
 */
export async function loadModels(
  file: string,
  { quant, methodsOf }: { readonly quant?: string | undefined; readonly methodsOf?: MethodCheck } = {},
): Promise<LoadedModels> {
  const document = await readYamlFile(file);
  const written = checkSchema(modelsFileSchema, document);
  const local = await applyLocalModels(file, written, quant);
  const models = { ...written, models: local.models };
  const faults: Fault[] = [...local.faults];
  const complain = (path: FieldPath, message: string) =>
    faults.push({ file, ...document.locate(path), field: path.join('.'), message });

  const placeOfFile = (model: ModelSpec): FilePlace =>
    local.places.get(model.id) ?? { file, ...document.locate(['models', models.models.indexOf(model), 'file']) };

  const ids = models.models.map((model) => model.id);
  const bases = models.models.filter((model) => model.role === 'base').map((model) => model.id);
  const targets = models.models.filter((model) => model.role === 'post-trained').map((model) => model.id);
  models.models.forEach((model, i) => {
    const first = ids.indexOf(model.id);
    if (first !== i) {
      const line = document.locate(['models', first]).line;
      complain(['models', i, 'id'], `the id "${model.id}" is already used by the model on line ${line}`);
    }
    if (model.assistantPrefix !== undefined && model.prompt === 'raw') {
      complain(
        ['models', i, 'assistantPrefix'],
        'a raw prompt has no reply to begin; write `prompt: chat`, or put the text into the template of the data set',
      );
    }
    if (model.file?.startsWith('hf:') && modelReference(model.file) === null) {
      const message = 'expected `hf:owner/repo/file.gguf` or `hf:owner/repo@revision/file.gguf`';
      faults.push({
        ...placeOfFile(model),
        field: `models.${i}.file`,
        message: `${message}, found ${JSON.stringify(model.file)}`,
      });
    }
    if (model.lora !== undefined && model.file === undefined) {
      complain(['models', i, 'lora'], 'an adapter needs a model to be put on; say its `file`, or remove `lora`');
    }
    const { kvType, flashAttention } = model.scoring ?? {};
    if (flashAttention === 'off' && kvType?.includes('q')) {
      complain(
        ['models', i, 'scoring', 'flashAttention'],
        `a KV cache of ${kvType} can be read by flash attention only; remove \`flashAttention: off\`, or take kvType f16`,
      );
    }
    for (const [field, written] of filesOf(model)) {
      if (path.isAbsolute(written) || written.startsWith('hf:')) continue;
      const folders = [path.dirname(file), process.cwd()];
      if (!outsideFolders(path.resolve(path.dirname(file), written), folders)) continue;
      complain(['models', i, ...field], 'lies outside the project; write the absolute path if you mean that file');
    }
    if (model.role === 'base' && model.base !== undefined) {
      complain(['models', i, 'base'], 'a base model has no `base`; remove it, or set role: post-trained');
    }
    if (model.role === 'post-trained') {
      if (model.base === undefined)
        complain(['models', i], `"${model.id}" is post-trained: say its own base with \`base: ID\``);
      else if (!ids.includes(model.base)) {
        complain(['models', i, 'base'], `unknown base model "${model.base}"${nearest(model.base, bases)}`);
      } else if (!bases.includes(model.base)) {
        complain(['models', i, 'base'], `"${model.base}" is post-trained itself; expected a model with role: base`);
      }
    }
  });
  for (const [name, suite] of Object.entries(models.suites)) {
    const check = (names: readonly string[], at: FieldPath, known: string[], what: string) => {
      names.forEach((id, i) => {
        const path = ['suites', name, ...at, i];
        if (!known.includes(id)) complain(path, `unknown ${what} "${id}"${nearest(id, known)}`);
        else if (names.indexOf(id) !== i) complain(path, `"${id}" is listed twice`);
      });
    };
    const checkDatasets = (key: string, keys: readonly string[], others: readonly string[]) => {
      for (const dataset of keys) {
        if (others.includes(dataset) || suite.datasets.includes(dataset)) continue;
        const message = `"${dataset}" is not a data set of this suite${nearest(dataset, [...others, ...suite.datasets])}`;
        complain(['suites', name, key, dataset], message);
      }
    };
    if (Array.isArray(suite.targets)) check(suite.targets, ['targets'], targets, 'post-trained model');
    else if (suite.targets !== 'all') {
      checkDatasets('targets', Object.keys(suite.targets), []);
      for (const [dataset, list] of Object.entries(suite.targets))
        check(list, ['targets', dataset], targets, 'post-trained model');
      for (const dataset of suite.datasets) {
        if (Object.hasOwn(suite.targets, dataset)) continue;
        complain(['suites', name, 'targets'], `says no targets for the data set "${dataset}"`);
      }
    }
    if (methodsOf?.suite === name) {
      const known = [...METHODS, ...methodsOf.own];
      suite.methods.forEach((method, i) => {
        if (known.includes(method)) return;
        const message = `unknown method "${method}"${nearest(method, known)}. A method of your own is one entry in a module that --method-file names (README, "A method of your own")`;
        complain(['suites', name, 'methods', i], message);
      });
    }
    check(suite.references ?? [], ['references'], bases, 'base model');
    if (!Array.isArray(suite.combinationSizes))
      checkDatasets('combinationSizes', Object.keys(suite.combinationSizes ?? {}), ['default']);
    if (targets.length === 0)
      complain(['suites', name], 'no model has role: post-trained, so there is nothing to calibrate');
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  return { ...models, file, localFile: local.file, locate: document.locate, placeOfFile };
}

/** Every file that an entry names, with its field. */
function filesOf({ file, lora }: ModelSpec): Array<readonly [field: FieldPath, written: string]> {
  const adapters = typeof lora === 'string' ? [[['lora'], lora] as const] : [];
  const scaled = typeof lora === 'object' ? lora.map((each, n) => [['lora', n, 'file'], each.file] as const) : [];
  return [...(file === undefined ? [] : [[['file'], file] as const]), ...adapters, ...scaled];
}
