import { type ModelSpec, suiteSchema } from '../../config/models-schema.js';
import { planSuite } from '../../config/plan-suite.js';
import type { Dataset } from '../../datasets/example/example.js';
import { loadDataset } from '../../datasets/load-dataset.js';
import { overrideSource, type SourceOverride } from '../../datasets/source/override-source.js';
import { makeFolder } from '../../files/make-folder.js';
import { plain } from '../asking/plain.js';
import { ownForm, renderForms } from '../asking/prompt-forms.js';
import { renderWays } from '../asking/render-ways.js';
import type { RunOptions } from '../workspace/run-options.js';
import type { DatasetContent, Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import type { QuestionSettings } from './question-settings.js';

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
 * @param input file of rows, like those of the data set; or paired text files by field
 * @throws SupportCalError bad-input, missing-file as `loadDataset`
 */
export async function loadNewQuestions(
  { spec: own, shots, model, models, hub }: QuestionSettings,
  input: SourceOverride,
  options: Pick<RunOptions, 'models' | 'datasets' | 'cache' | 'gpu'>,
): Promise<NewQuestions> {
  const { fewShot: _shown, ...prompt } = own.yaml.prompt ?? { template: '' };
  const asked = overrideSource({ ...own, yaml: { ...own.yaml, prompt, missingLabels: 'keep' as const } }, input);
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
