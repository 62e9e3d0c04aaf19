import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { datasetSchema } from '../../src/config/dataset-schema.js';
import { modelSchema, suiteSchema } from '../../src/config/models-schema.js';
import type { ExamplePrompt } from '../../src/datasets/prompt.js';
import type { WorkerPlan } from '../../src/engine/protocol.js';
import { contentHash } from '../../src/files/content-hash.js';
import { loadWorkspace, promptsFor } from '../../src/pipeline/load-workspace.js';
import type { RunOptions } from '../../src/pipeline/run-options.js';
import { planScores } from '../../src/pipeline/score-plan.js';
import { planSlots } from '../../src/scoring/plan-slots.js';
import { workerPlan } from '../../src/scoring/score-models.js';
import { adapterFile } from './adapter-file.js';
import { wordProblems } from './demo-workspace.js';
import { schemaFields } from './schema-fields.js';
import { temporaryFolder } from '../files/temporary-folder.js';

/** Changes to a YAML file, merged into the base below; undefined removes a field. */
type Patch = { readonly [key: string]: unknown };

interface Case {
  /** What must be there before the field can be changed alone. */
  readonly before?: Patch;
  readonly after: Patch;
  /** Why the key may stay the same; absent: it must change. */
  readonly why?: string;
}

const CHOOSES = 'chooses what is scored; every score has the key of its own model and data set';
const AFTER_SCORING = 'comes after scoring';
const NOT_READ_FROM_HERE = 'what is read counts, not where or how it is stored';
const DESCRIBES = 'shown to people only';

const MODEL: Record<string, Case> = {
  id: { after: { id: 'renamed' } },
  role: { after: { role: 'base', base: undefined }, why: CHOOSES },
  base: { after: { base: 'reference' }, why: CHOOSES },
  bucket: { before: { bucket: 'default' }, after: { bucket: 'large' }, why: CHOOSES },
  file: { after: { file: 'tern-base.gguf' } },
  sha256: { after: { sha256: 'a'.repeat(64) }, why: 'another hash than the file has is refused, see below' },
  lora: { after: { lora: 'adapter.gguf' } },
  'lora[].file': {
    before: { lora: [{ file: 'adapter.gguf', scale: 1 }] },
    after: { lora: [{ file: 'other-adapter.gguf', scale: 1 }] },
  },
  'lora[].scale': {
    before: { lora: [{ file: 'adapter.gguf', scale: 1 }] },
    after: { lora: [{ file: 'adapter.gguf', scale: 0.5 }] },
  },
  prompt: { after: { prompt: 'chat' } },
  promptVariant: { after: { promptVariant: 'short' } },
  assistantPrefix: { before: { prompt: 'chat' }, after: { assistantPrefix: 'Answer:' } },
  'scoring.contextSize': { after: { scoring: { contextSize: 512 } } },
  'scoring.sequences': { after: { scoring: { sequences: 3 } } },
  'scoring.batchSize': { after: { scoring: { batchSize: 300 } } },
  'scoring.threads': { after: { scoring: { threads: 5 } } },
  'scoring.kvType': { after: { scoring: { kvType: 'q8_0' } } },
  'scoring.gpuLayers': { after: { scoring: { gpuLayers: 3 } } },
  'scoring.memoryCheck': { after: { scoring: { memoryCheck: 'off' } }, why: 'refuses to load or not; changes no logit' },
  'scoring.bos': { after: { scoring: { bos: 'never' } } },
  'scoring.preTokenizer': { after: { scoring: { preTokenizer: 'qwen2' } } },
};

const labelField = (more: Patch = {}) => ({ fields: { label: { field: 'answer', as: 'letter', ...more } } });
const inVariant = (prompt: Patch) => ({ variant: 'short', prompt: { variants: { short: prompt } } });
const fewShot = (more: Patch = {}) => ({ prompt: { fewShot: { count: 2, seed: 1, ...more } } });
const withSource = (source: Patch) => ({ source: { path: 'quiz.jsonl', ...source } });
const textMode = (scoring: Patch = {}) => ({
  scoring: { mode: 'text', ...scoring },
  prompt: { template: 'Question: {question}\nAnswer:', variants: undefined },
});

const DATASET: Record<string, Case> = {
  id: { before: { id: 'quiz' }, after: { id: 'renamed' } },
  title: { after: { title: 'A quiz' }, why: DESCRIBES },
  labelBase: { before: { fields: { label: 'index' }, labelBase: 0 }, after: { fields: { label: 'index1' }, labelBase: 1 }, why: 'the same label under another name' },
  source: { after: { source: 'other.jsonl' } },
  'source.path': { before: withSource({}), after: { source: { path: 'other.jsonl' } } },
  'source.files.*': {
    before: { source: { path: undefined, files: { question: 'q.txt', id: 'id.txt', answer: 'a.txt' } }, fields: { options: { labels: ['x', 'y'] } } },
    after: { source: { files: { question: 'q2.txt' } } },
  },
  'source.format': { before: withSource({}), after: withSource({ format: 'jsonl' }), why: NOT_READ_FROM_HERE },
  'source.delimiter': {
    before: { source: { path: 'quiz.csv' }, fields: { options: { columns: ['a', 'b'] } } },
    after: { source: { path: 'semicolons.csv', delimiter: ';' } },
    why: NOT_READ_FROM_HERE,
  },
  'source.limit': { before: withSource({}), after: withSource({ limit: 5 }) },
  'fields.id': { after: { fields: { id: 'number' } } },
  'fields.options': { after: { fields: { options: 'shuffled' } } },
  'fields.options.field': { before: { fields: { options: { field: 'options' } } }, after: { fields: { options: { field: 'shuffled' } } } },
  'fields.options.columns': { before: { fields: { options: { columns: ['a', 'b'] } } }, after: { fields: { options: { columns: ['b', 'a'] } } } },
  'fields.options.labels': { before: { fields: { options: { labels: ['x', 'y', 'u', 'v'] } } }, after: { fields: { options: { labels: ['x', 'y', 'u', 'w'] } } } },
  'fields.label': { before: { fields: { label: 'answer' } }, after: { fields: { label: 'always' } } },
  'fields.label.field': { before: labelField(), after: labelField({ field: 'always' }) },
  'fields.label.as': { before: labelField({ field: 'both' }), after: labelField({ field: 'both', as: 'text' }) },
  'fields.label.labelBase': {
    before: labelField({ field: 'index', as: 'index', labelBase: 0 }),
    after: labelField({ field: 'index1', as: 'index', labelBase: 1 }),
    why: 'the same label under another name',
  },
  emptyOptions: { after: { emptyOptions: 'skip' }, why: 'no row here has an empty option; rows left out change the rows' },
  'prompt.template': { after: { prompt: { template: 'Q: {question}\n{options}\nA:' } } },
  'prompt.option': { after: { prompt: { option: '({label}) {text}' } } },
  'prompt.optionJoin': { after: { prompt: { optionJoin: '; ' } } },
  'prompt.optionLabels': { after: { prompt: { optionLabels: 'digits' } } },
  'prompt.answerPrefix': { after: { prompt: { answerPrefix: '\n' } } },
  'prompt.variants.*.template': { before: inVariant({}), after: inVariant({ template: 'Briefly: {question} {options}' }) },
  'prompt.variants.*.option': { before: inVariant({}), after: inVariant({ option: '({label}) {text}' }) },
  'prompt.variants.*.optionJoin': { before: inVariant({}), after: inVariant({ optionJoin: '; ' }) },
  'prompt.variants.*.optionLabels': { before: inVariant({}), after: inVariant({ optionLabels: 'digits' }) },
  'prompt.variants.*.answerPrefix': { before: inVariant({}), after: inVariant({ answerPrefix: '\n' }) },
  'prompt.fewShot.count': { before: fewShot(), after: fewShot({ count: 3 }) },
  'prompt.fewShot.seed': { before: fewShot(), after: fewShot({ seed: 2 }) },
  'prompt.fewShot.from': { before: fewShot(), after: fewShot({ from: 'other.jsonl' }) },
  'prompt.fewShot.separator': { before: fewShot(), after: fewShot({ separator: '\n---\n' }) },
  variant: { after: { variant: 'short' } },
  'scoring.mode': { before: { prompt: { variants: undefined } }, after: { scoring: { mode: 'hybrid' } } },
  'scoring.normalize': { before: textMode(), after: textMode({ normalize: 'mean-token' }) },
  'scoring.pmiPrompt': { before: textMode({ normalize: 'pmi' }), after: textMode({ normalize: 'pmi', pmiPrompt: 'So:' }) },
  'scoring.minimumOptionMass': { after: { scoring: { minimumOptionMass: 0.1 } }, why: AFTER_SCORING },
};

const SUITE: Record<string, Case> = {
  title: { after: { title: 'A suite' }, why: DESCRIBES },
  targets: { after: { targets: ['target'] }, why: CHOOSES },
  datasets: { after: { datasets: ['quiz', 'second'] }, why: CHOOSES },
  references: { after: { references: ['reference'] }, why: CHOOSES },
  combinationSizes: { after: { combinationSizes: [1] }, why: AFTER_SCORING },
  'combinationSizes.*': { after: { combinationSizes: { quiz: [1] } }, why: AFTER_SCORING },
  methods: { after: { methods: ['vanilla', 'daca'] }, why: CHOOSES },
  seeds: { after: { seeds: [9] }, why: AFTER_SCORING },
  calibrationFraction: { after: { calibrationFraction: 0.5 }, why: AFTER_SCORING },
  bins: { after: { bins: 7 }, why: AFTER_SCORING },
  binEdges: { after: { binEdges: 'equal-mass' }, why: AFTER_SCORING },
  edgeRule: { after: { edgeRule: 'right-owned' }, why: AFTER_SCORING },
};

/** What the flags do to a key: by the name of the option. */
const OPTIONS: Record<keyof Required<RunOptions>, { readonly after: Partial<RunOptions>; readonly why?: string }> = {
  suite: { after: { suite: 'other' }, why: CHOOSES },
  models: { after: {}, why: 'the fields of the file are above' },
  datasets: { after: {}, why: 'the fields of its files are above' },
  cache: { after: { cache: 'elsewhere' }, why: 'where scores are kept' },
  out: { after: { out: 'elsewhere' }, why: 'where results go' },
  datasetIds: { after: { datasetIds: ['quiz'] }, why: CHOOSES },
  targetIds: { after: { targetIds: ['target'] }, why: CHOOSES },
  seeds: { after: { seeds: [9] }, why: AFTER_SCORING },
  calibrationFraction: { after: { calibrationFraction: 0.5 }, why: AFTER_SCORING },
  bins: { after: { bins: 7 }, why: AFTER_SCORING },
  limit: { after: { limit: 5 } },
  gpu: { after: { gpu: 'cuda' }, why: 'what it comes to, the backend, is in the key' },
  refresh: { after: { refresh: true }, why: 'scores again under the same key' },
};

/** Every field that a worker gets: the field of models.yaml above that changes it, or why it has none. */
const WORKER: Record<keyof Required<WorkerPlan>, { readonly by: string } | { readonly why: string }> = {
  model: { by: 'id' },
  modelPath: { why: 'the content of the file is in the key, wherever it lies' },
  backend: { why: 'in the key as it is' },
  prompt: { by: 'prompt' },
  assistantPrefix: { by: 'assistantPrefix' },
  bos: { by: 'scoring.bos' },
  preTokenizer: { by: 'scoring.preTokenizer' },
  lora: { by: 'lora[].scale' },
  kvType: { by: 'scoring.kvType' },
  gpuLayers: { by: 'scoring.gpuLayers' },
  contextSize: { by: 'scoring.contextSize' },
  sequences: { by: 'scoring.sequences' },
  cells: { why: 'a fixed number on a GPU, none on a CPU' },
  contexts: { why: 'two contexts of one model compute the same' },
  batchSize: { by: 'scoring.batchSize' },
  threads: { by: 'scoring.threads' },
};

const demo = path.resolve(import.meta.dirname, '../../models/demo');
const SURROUNDINGS = { backend: 'cpu' } as const;

interface Config {
  readonly target?: Patch;
  readonly dataset?: Patch;
  readonly suite?: Patch;
  readonly options?: Partial<RunOptions>;
  readonly rows?: (row: Record<string, unknown>) => Record<string, unknown>;
}

/** The key of the target's scores, and everything that reaches the scorer, hashed. */
async function reached(config: Config) {
  const folder = writeProject(config);
  const options: RunOptions = {
    suite: 's',
    models: path.join(folder, 'models.yaml'),
    datasets: folder,
    cache: path.join(folder, 'cache'),
    out: path.join(folder, 'out'),
    gpu: 'off',
    refresh: false,
    ...config.options,
  };
  const workspace = await loadWorkspace(options);
  const plan = (await planScores(workspace, SURROUNDINGS.backend)).find(({ model }) => model.file?.includes('tern-dpo') || model.id === 'target' || model.id === 'renamed')!;
  const [id, entry] = [...plan.entries][0]!;
  if (entry.kind !== 'open') throw new Error(`not to be scored: ${JSON.stringify(entry)}`);
  const { spec, content } = workspace.datasets.find((each) => each.spec.id === id)!;
  const { prompts } = promptsFor(spec, content!, plan.model);
  const [stage] = planSlots([{ id: plan.model.id, bytes: plan.file!.bytes }], { backend: 'cpu', cores: 2, memoryBytes: 2 ** 34 });
  const { modelPath: _path, lora, ...worker } = workerPlan({ model: plan.model, modelPath: '', lora: plan.file!.lora }, stage!, SURROUNDINGS);
  const scales = lora?.map(({ scale }) => scale) ?? [];
  const hashes = [plan.file!.sha256, ...plan.file!.lora.map(({ sha256 }) => sha256)];
  return { name: entry.key.name, hash: entry.key.hash, worker: { ...worker, lora: scales }, input: contentHash({ worker, scales, hashes, prompts, dataset: id }) };
}

function writeProject({ target, dataset, suite, rows = (row) => row }: Config): string {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  const json = (name: string, value: unknown) => write(name, JSON.stringify(value));
  const at = (file: string) => path.join(demo, file);
  const merged = merge({ id: 'target', role: 'post-trained', base: 'base', file: 'tern-dpo.gguf' }, target ?? {});
  const lora = merged.lora === undefined ? {} : { lora: placed(folder, merged.lora) };
  json('models.yaml', {
    models: [
      { id: 'base', role: 'base', file: at('tern-base.gguf') },
      { id: 'reference', role: 'base', file: at('heron-base.gguf') },
      { id: 'large', role: 'base', bucket: 'large', file: at('heron-base.gguf') },
      { ...merged, ...lora, file: at(String(merged.file)) },
      { id: 'second', role: 'post-trained', base: 'base', file: at('heron-rl.gguf') },
    ],
    suites: { s: merge({ datasets: [dataset?.id ?? 'quiz'] }, suite ?? {}), other: { datasets: ['quiz'], bins: 3 } },
  });
  const base = {
    source: 'quiz.jsonl',
    fields: { id: 'id', options: 'options', label: { field: 'answer', as: 'letter' } },
    prompt: { template: 'Question: {question}\n{options}\nAnswer:', variants: { short: { template: '{question} {options}' } } },
  };
  json('quiz.yaml', merge(base, dataset ?? {}));
  json('second.yaml', base);
  const all = wordProblems(12).map((row, n) => withExtras(row, n));
  const lines = (list: readonly unknown[]) => list.map((row) => `${JSON.stringify(row)}\n`).join('');
  write('quiz.jsonl', lines(all.map(rows)));
  write('other.jsonl', lines(all.map((row) => ({ ...row, id: `x${row.id}`, question: `${row.question} Really?` }))));
  for (const [name, separator] of [['quiz.csv', ','], ['semicolons.csv', ';']] as const) {
    write(name, [['id', 'question', 'a', 'b', 'answer'], ...all.map((row) => [row.id, 'What?', row.a, row.b, 'A'])].map((row) => `${row.join(separator)}\n`).join(''));
  }
  const column = (name: string, value: (row: (typeof all)[number]) => string) => write(name, all.map((row) => `${value(row)}\n`).join(''));
  column('q.txt', (row) => row.question);
  column('q2.txt', (row) => `${row.question} Really?`);
  column('id.txt', (row) => row.id);
  column('a.txt', () => 'A');
  return folder;
}

/** The same content under other names, so that a field of the YAML can point at another one. */
function withExtras(row: ReturnType<typeof wordProblems>[number], n: number) {
  const index = 'ABCD'.indexOf(row.answer);
  const shuffled = [...row.options].reverse();
  // As a letter "A" is the first option, as a text it is none; "both" is a letter and a text.
  return { ...row, number: `n${n}`, index, index1: index + 1, always: 'A', both: 'A', shuffled, a: row.options[0]!, b: row.options[1]! };
}

function placed(folder: string, lora: unknown): unknown {
  const one = (name: string) => adapterFile(folder, name);
  if (typeof lora === 'string') return one(lora);
  return (lora as { file: string }[]).map((each) => ({ ...each, file: one(each.file) }));
}

function merge(base: Patch, patch: Patch): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) delete merged[key];
    else if (isMap(value) && isMap(merged[key])) merged[key] = merge(merged[key], value);
    else merged[key] = value;
  }
  return merged;
}

function isMap(value: unknown): value is Patch {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
