import { datasetSchema } from '../../config/dataset-schema.js';
import type { LoadedDatasetSpec } from '../../config/load-dataset-specs.js';
import { type ModelSpec, modelSchema } from '../../config/models-schema.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { DatasetSpec } from '../../datasets/example/dataset-spec.js';
import type { Dataset } from '../../datasets/example/example.js';
import { renderPrompts } from '../../datasets/prompts/render-prompts.js';
import { questionReader, type ReadQuestion } from '../../datasets/question-reader.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { SourceRow } from '../../formats/row/source-row.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import { shotsSchema } from '../artefact/asking-schema.js';

/** One question as the model gets it, or why it cannot be asked. */
export type AskedQuestion =
  | Extract<ReadQuestion, { kind: 'wrong' }>
  | (ReadExample & { readonly prompt: ExamplePrompt });
type ReadExample = Extract<ReadQuestion, { kind: 'ok' }>;

/** How new questions are put, whatever they are read from. */
export interface Questions {
  readonly spec: DatasetSpec;
  /** Solved examples that stand before every question. */
  readonly shots: Dataset['shots'];
  /** Prompt variant; null: the plain one. */
  readonly variant: string | null;
}

/** What a temperature's questions look like, from the artefact alone. */
export interface ArtefactQuestions extends Questions {
  readonly spec: LoadedDatasetSpec;
  /** The target as an entry of models.yaml, with the given GGUF file: a path, or `hf:owner/repo/file.gguf`. */
  modelOf(file: string): ModelSpec;
}

/**
 * How the questions of an artefact are read and put, with nothing but the artefact.
 *
 * @param file the artefact as the user named it, for messages
 * @throws SupportCalError bad-input: the artefact does not say it, or says what this version cannot use
 */
export function artefactQuestions(artefact: CalibrationArtefact, file: string): ArtefactQuestions {
  const { asking, dataset, provenance } = artefact;
  if (asking === null) {
    const why =
      artefact.prompt === null
        ? 'its scores were imported and its data set has no prompt; give scores of questions with --logits'
        : `supportcal ${provenance.tool.version} wrote it before artefacts said how questions are put; export it ` +
          `again, or name the YAML of data set "${dataset.id}" with --dataset ${dataset.id} --datasets DIR`;
    throw new SupportCalError('bad-input', { file, field: 'asking', message: why });
  }
  const { cells } = asking;
  const yaml = datasetSchema.safeParse(asking.dataset);
  if (!yaml.success) throw unusable(file, 'asking.dataset', yaml.error.issues);
  const spec: LoadedDatasetSpec = {
    id: dataset.id,
    file,
    // The name of a file takes the place of the empty one.
    yaml: { ...yaml.data, source: { path: '', ...cells } },
    locate: () => ({}),
  };
  return { spec, shots: shotsOf(artefact, file), variant: null, modelOf: (model) => modelFrom(artefact, file, model) };
}

/** Rows to questions, each for itself and in their order: what is wrong with one concerns no other. */
export type QuestionAsker = (rows: readonly SourceRow[]) => AskedQuestion[];

/**
 * Reads rows as questions and renders their prompts.
 *
 * @throws SupportCalError bad-input: see `questionReader`
 */
export function questionAsker({ spec, shots, variant }: Questions): QuestionAsker {
  const read = questionReader(spec);
  const dataset = { id: spec.id, title: spec.id, leftOut: [], warnings: [], rules: [], origin: [], hash: '', shots };
  return (rows) => {
    const questions = rows.map(read);
    const examples = questions.flatMap((question) => (question.kind === 'ok' ? [question.example] : []));
    const prompts = renderPrompts({ ...dataset, examples }, spec, variant)[Symbol.iterator]();
    return questions.map((question): AskedQuestion => {
      if (question.kind === 'wrong') return question;
      const { value: prompt, done } = prompts.next();
      if (done) throw new SupportCalError('internal', `question ${question.example.id} has no prompt`);
      return { ...question, prompt };
    });
  };
}

/** The entry of the target in models.yaml, as far as it changes how the model is asked. */
export function modelFrom({ target, method, prompt }: CalibrationArtefact, file: string, model: string): ModelSpec {
  const { prompt: mode, assistantPrefix, bos, preTokenizer, kvType } = prompt?.settings ?? {};
  const scoring = { bos, preTokenizer, kvType };
  const asked = { prompt: mode, assistantPrefix };
  const entry = { ...asked, scoring, id: target.id, role: 'post-trained', base: method.ownBase.id, file: model };
  const parsed = modelSchema.safeParse(JSON.parse(JSON.stringify(entry)));
  if (!parsed.success) throw unusable(file, 'prompt.settings', parsed.error.issues);
  return parsed.data;
}

function shotsOf({ prompt }: CalibrationArtefact, file: string): Dataset['shots'] {
  const shots = shotsSchema.safeParse(prompt?.settings.fewShot ?? []);
  if (!shots.success) throw unusable(file, 'prompt.settings.fewShot', shots.error.issues);
  return shots.data.map((shot, n) => ({ ...shot, id: `shot ${n + 1}`, contentHash: '' }));
}

function unusable(
  file: string,
  under: string,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): SupportCalError {
  const advice = 'another version of supportcal wrote it, or it was changed; export it again';
  return new SupportCalError(
    'bad-input',
    issues.slice(0, 20).map(({ path, message }) => ({
      file,
      field: [under, ...path.map(String)].join('.'),
      message: `${message.replace(/^Invalid input: /, '')}; ${advice}`,
    })),
  );
}
