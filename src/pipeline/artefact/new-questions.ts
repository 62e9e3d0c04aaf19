import { access } from 'node:fs/promises';
import type { DatasetYaml } from '../../config/dataset-schema.js';
import { type LoadedDatasetSpec, loadDatasetSpecs } from '../../config/load-dataset-specs.js';
import { loadModels } from '../../config/load-models.js';
import { type ModelSpec, suiteSchema } from '../../config/models-schema.js';
import { planSuite } from '../../config/plan-suite.js';
import type { DatasetSourceYaml } from '../../config/source-schema.js';
import type { Dataset } from '../../datasets/example/example.js';
import { loadDataset } from '../../datasets/load-dataset.js';
import { csvSettings } from '../../datasets/source/open-source.js';
import { overrideSource, type SourceOverride } from '../../datasets/source/override-source.js';
import { nearest } from '../../errors/nearest.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { makeFolder } from '../../files/make-folder.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { plain } from '../asking/plain.js';
import { ownForm, renderForms } from '../asking/prompt-forms.js';
import { renderWays } from '../asking/render-ways.js';
import { type HubContext, openHub } from '../workspace/open-hub.js';
import type { RunOptions } from '../workspace/run-options.js';
import type { DatasetContent, Workspace, WorkspaceDataset } from '../workspace/workspace.js';

export interface QuestionOptions
  extends Pick<RunOptions, 'models' | 'datasets' | 'cache' | 'gpu' | 'quant' | 'offline'> {
  /** File of rows, like those of the data set; or paired text files by field. */
  readonly input: SourceOverride;
  /** Data set whose fields and prompt they have. */
  readonly dataset: string;
  readonly target: string;
}

/** A workspace that has the questions as its only data set. */
interface QuestionWorkspace extends Workspace {
  readonly datasets: readonly [Pick<WorkspaceDataset, 'spec'> & { readonly content: DatasetContent }];
}

export interface NewQuestions {
  /** A suite of one model and one data set, the questions. */
  readonly workspace: QuestionWorkspace;
  readonly model: ModelSpec;
  readonly questions: Dataset;
}

/**
 * Questions of a file as a workspace, so that they are scored as those of the data set are, cache and all. They are
 * asked with the prompt of the data set; its few-shot block stays the one of its own rows. All rows of the file count
 * (`filter`, `limit` and `sample` do not apply) and labels may be missing.
 *
 * @throws SupportCalError usage: no such model; bad-input, missing-file as `loadDataset`
 */
export async function loadNewQuestions(options: QuestionOptions, context: HubContext): Promise<NewQuestions> {
  for (const file of typeof options.input === 'string' ? [options.input] : Object.values(options.input))
    await mustExist(file);
  const models = await loadModels(options.models, { quant: options.quant });
  const model = targetOf(models.models, options);
  const hub = await openHub({ ...options, refresh: false }, context);
  const spec = await specOf(options);
  if (spec.yaml.prompt === undefined) {
    const lack = `data set "${options.dataset}" has no prompt to ask new questions with`;
    const message = `${lack}; give their logits with --logits`;
    throw new SupportCalError('bad-input', { file: spec.file, field: 'prompt', message });
  }
  // Nothing that is imported for the data set belongs to the new questions.
  const own = { ...spec, id: `predict-${spec.id}` };
  const { fewShot, ...prompt } = spec.yaml.prompt;
  const asked = overrideSource(
    { ...own, yaml: { ...own.yaml, prompt, missingLabels: 'keep' as const, source: unfiltered(own.yaml.source) } },
    options.input,
  );
  const shots = fewShot === undefined ? [] : (await loadDataset(spec, hub)).shots;
  const questions = { ...(await loadDataset(asked, hub)), shots };
  const forms = renderForms(questions, own, [model]);
  await makeFolder(options.cache);
  const suite = suiteSchema.parse({ datasets: [own.id], targets: [model.id], methods: ['vanilla'] });
  const plan = planSuite({ ...models, suites: { predict: suite } }, { suite: 'predict' });
  return {
    model,
    questions,
    workspace: {
      models,
      hub,
      methodFiles: [],
      published: null,
      ways: [plain],
      options: { ...options, suite: 'predict', out: '', refresh: false },
      suite: { ...plan, models: [model], needs: (_dataset, id) => id === model.id },
      datasets: [
        {
          spec: { ...own, yaml: { ...own.yaml, source: asked.yaml.source } },
          content: {
            dataset: questions,
            wholeHash: questions.hash,
            prompts: ownForm(forms, own),
            rendered: renderWays([plain], { dataset: questions, spec: own, forms, suite: plan }),
          },
        },
      ],
    },
  };
}

async function specOf({ datasets, dataset }: QuestionOptions): Promise<LoadedDatasetSpec> {
  const [spec] = await loadDatasetSpecs(datasets, [dataset]);
  if (spec === undefined) throw new SupportCalError('usage', { file: datasets, message: `no data set "${dataset}"` });
  return spec;
}

/** A pattern is looked up when it is opened. */
async function mustExist(file: string): Promise<void> {
  if (/[*?[{]/.test(file)) return;
  await access(file).catch((cause: NodeJS.ErrnoException) => {
    const message = cause.code === 'ENOENT' ? 'no such file; name one with questions' : whyUnreadable(cause);
    throw new SupportCalError('missing-file', { file, message }, { cause });
  });
}

function targetOf(models: readonly ModelSpec[], { target, models: file }: QuestionOptions): ModelSpec {
  const model = models.find(({ id, role }) => id === target && role === 'post-trained');
  if (model !== undefined) return model;
  const known = models.filter(({ role }) => role === 'post-trained').map(({ id }) => id);
  const message = `no post-trained model "${target}", which the artefact is for${nearest(target, known)}`;
  throw new SupportCalError('usage', { file, message });
}

/** What is said of a source besides its rows: only how cells are written. */
function unfiltered(source: DatasetYaml['source']): DatasetSourceYaml {
  return { path: '', ...(typeof source === 'object' && csvSettings(source)) };
}
