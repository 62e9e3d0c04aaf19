import { existsSync } from 'node:fs';
import type { DatasetYaml } from '../../config/dataset-schema.js';
import { type LoadedDatasetSpec, loadDatasetSpecs } from '../../config/load-dataset-specs.js';
import { type LoadedModels, loadModels } from '../../config/load-models.js';
import { type ModelSpec, modelSchema } from '../../config/models-schema.js';
import type { DatasetSourceYaml } from '../../config/source-schema.js';
import { loadDataset } from '../../datasets/load-dataset.js';
import { csvSettings } from '../../datasets/source/open-source.js';
import { nearest } from '../../errors/nearest.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { HubAccess } from '../../hub/hub-access.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import { variantOf } from '../asking/prompt-forms.js';
import { type HubContext, openHub } from '../workspace/open-hub.js';
import type { RunOptions } from '../workspace/run-options.js';
import { artefactQuestions, modelFrom, type Questions } from './artefact-questions.js';

/** Where it is looked up how questions are put, and which model answers them. */
export interface SettingOptions extends Pick<RunOptions, 'models' | 'datasets' | 'cache' | 'quant' | 'offline'> {
  /** The file of the artefact, for messages. */
  readonly artefact?: string;
  /** A GGUF file, a path or `hf:owner/repo/file.gguf`: then models.yaml is not read. */
  readonly model?: string;
  /** Data set whose YAML says how questions are put; default: the artefact says it where `model` is given. */
  readonly dataset?: string;
}

/** How questions are put, and the model that is asked. */
export interface QuestionSettings extends Questions {
  readonly spec: LoadedDatasetSpec;
  readonly model: ModelSpec;
  readonly models: LoadedModels;
  readonly hub: HubAccess;
}

/**
 * How the questions of an artefact are put here: with a model file by the artefact alone, else by models.yaml and the
 * YAML of the data set. The id of the data set is `predict-<id>`: nothing that is imported for it belongs to new
 * questions. Its rules of choice (filter, limit, sample) do not apply to them.
 *
 * @throws SupportCalError usage: no such model or data set; bad-input: nobody says how questions are put
 */
export async function questionSettings(
  artefact: CalibrationArtefact,
  options: SettingOptions,
  context: HubContext,
): Promise<QuestionSettings> {
  const { model: file } = options;
  const models = file === undefined ? await projectModels(artefact, options) : oneModel(artefact, options, file);
  const model = targetOf(models, artefact.target.id);
  const hub = await openHub({ ...options, refresh: false }, context);
  if (file !== undefined && options.dataset === undefined) {
    const { spec, shots, variant } = artefactQuestions(artefact, options.artefact ?? UNNAMED);
    return { spec: { ...spec, id: `predict-${spec.id}` }, shots, variant, model, models, hub };
  }
  const spec = await specOf(options.datasets, options.dataset ?? artefact.dataset.id);
  const shots = spec.yaml.prompt?.fewShot === undefined ? [] : (await loadDataset(spec, hub)).shots;
  const source = unfiltered(spec.yaml.source);
  const own = { ...spec, id: `predict-${spec.id}`, yaml: { ...spec.yaml, source } };
  return { spec: own, shots, variant: variantOf(spec.yaml, model), model, models, hub };
}

async function projectModels({ asking }: CalibrationArtefact, { models, quant }: SettingOptions) {
  if (asking === null || existsSync(models)) return loadModels(models, { quant });
  const message = 'no such file; name the model file with --model FILE.gguf (the artefact says the rest)';
  throw new SupportCalError('missing-file', { file: models, message: `${message}, or a project's with --models FILE` });
}

/** What stands in place of models.yaml: its folder is the working directory, so that a path is as it was typed. */
const NAMED = '--model';

/** In messages, where nobody says which file the artefact is from. */
const UNNAMED = 'artefact';

function oneModel(
  artefact: CalibrationArtefact,
  { artefact: named = UNNAMED }: SettingOptions,
  file: string,
): LoadedModels {
  const model = modelFrom(artefact, named, file);
  const base = modelSchema.parse({ id: artefact.method.ownBase.id, role: 'base' });
  const at = () => ({ file });
  return { file: NAMED, localFile: null, models: [base, model], suites: {}, locate: () => ({}), placeOfFile: at };
}

function targetOf({ models, file }: LoadedModels, target: string): ModelSpec {
  const model = models.find(({ id, role }) => id === target && role === 'post-trained');
  if (model !== undefined) return model;
  const known = models.filter(({ role }) => role === 'post-trained').map(({ id }) => id);
  const message = `no post-trained model "${target}", which the artefact is for${nearest(target, known)}`;
  throw new SupportCalError('usage', { file, message: `${message}; or name its file with --model FILE.gguf` });
}

async function specOf(folder: string, dataset: string): Promise<LoadedDatasetSpec> {
  const [spec] = await loadDatasetSpecs(folder, [dataset]);
  if (spec === undefined) throw new SupportCalError('usage', { file: folder, message: `no data set "${dataset}"` });
  if (spec.yaml.prompt !== undefined) return spec;
  const lack = `data set "${dataset}" has no prompt to ask new questions with`;
  const message = `${lack}; give their logits with --logits`;
  throw new SupportCalError('bad-input', { file: spec.file, field: 'prompt', message });
}

/** What is said of a source besides its rows: only how cells are written. */
function unfiltered(source: DatasetYaml['source']): DatasetSourceYaml {
  return { path: '', ...(typeof source === 'object' && csvSettings(source)) };
}
