import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Device } from '../../../src/contract/device.js';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { WorkerPlan } from '../../../src/engine/protocol/protocol.js';
import type { RunOptions } from '../../../src/pipeline/workspace/run-options.js';
import { merge } from './key-project.js';

export const demoModels = path.resolve(import.meta.dirname, '../../../models/demo');

/** Changes to a YAML file, merged into the base below; undefined removes a field. */
export type Patch = { readonly [key: string]: unknown };

export interface Case {
  /** What must be there before the field can be changed alone. */
  readonly before?: Patch;
  readonly after: Patch;
  /** Why the key may stay the same; absent: it must change. */
  readonly why?: string;
  /** The device of the run; default cpu. */
  readonly backend?: Device;
  /** Why it is not tried here. */
  readonly untried?: string;
}

const CHOOSES = 'chooses what is scored; every score has the key of its own model and data set';
const AFTER_SCORING = 'comes after scoring';
const NOT_READ_FROM_HERE = 'what is read counts, not where or how it is stored';
const HUB = 'its rows come from the network; what came is hashed as any other rows are';
const PRINTED = 'printed numbers are set beside results; they are read when the report is made';
const SIZE = { rows: 7, promptTokens: 9, options: 3 };
const REPLIES = 'replies have entries and keys of their own (elicitation.test)';
const DESCRIBES = 'shown to people only';

export const MODEL: Record<string, Case> = {
  id: { after: { id: 'renamed' } },
  label: { after: { label: 'Another name' }, why: DESCRIBES },
  role: { after: { role: 'base', base: undefined }, why: CHOOSES },
  base: { after: { base: 'reference' }, why: CHOOSES },
  bucket: { before: { bucket: 'default' }, after: { bucket: 'large' }, why: CHOOSES },
  file: { after: { file: 'tern-base.gguf' } },
  parameters: { after: { parameters: 8 }, why: DESCRIBES },
  activeParameters: { after: { activeParameters: 2 }, why: DESCRIBES },
  kvCacheKiB: { after: { kvCacheKiB: 128 }, why: DESCRIBES },
  vocabulary: { after: { vocabulary: 32768 }, why: DESCRIBES },
  sha256: { after: { sha256: sha256Of('tern-dpo.gguf') }, why: 'only checks the content, which is in the key' },
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
  'scoring.contexts': {
    after: { scoring: { contexts: 3 } },
    why: 'two contexts of one model compute the same',
  },
  'scoring.threads': { after: { scoring: { threads: 5 } } },
  'scoring.kvType': { after: { scoring: { kvType: 'q8_0' } } },
  'scoring.flashAttention': { after: { scoring: { flashAttention: 'on' } } },
  'scoring.gpuLayers': { after: { scoring: { gpuLayers: 3 } } },
  'scoring.memoryCheck': {
    after: { scoring: { memoryCheck: 'off' } },
    why: 'refuses to load or not; changes no logit',
  },
  'scoring.device': { backend: 'cuda', after: { scoring: { device: 'cpu' } } },
  'scoring.devices': {
    after: { scoring: { devices: 2 } },
    why: 'says on how many cards the layers are, each of which computes what one card would',
  },
  'scoring.maxFailedShare': {
    after: { scoring: { maxFailedShare: 0.1 } },
    why: 'ends a model early or not; changes no logit',
  },
  elicitationPrompt: {
    after: { elicitationPrompt: 'Say {labels}.' },
    why: REPLIES,
  },
  ...Object.fromEntries(
    [
      'url',
      'model',
      'api',
      'key.env',
      'concurrency',
      'timeoutSeconds',
      'top',
      'tokenIds.*',
      'pricePerMillionTokens',
      'missing',
      'missingFloor',
    ].map((field) => [
      `endpoint.${field}`,
      { untried: 'of a server, in place of a file: see endpoint-source', after: {} },
    ]),
  ),
  'scoring.bos': { after: { scoring: { bos: 'never' } } },
  'scoring.preTokenizer': { after: { scoring: { preTokenizer: 'qwen2' } } },
};

const labelField = (more: Patch = {}) => ({ fields: { label: { field: 'answer', as: 'letter', ...more } } });
const inVariant = (prompt: Patch) => ({ variant: 'short', prompt: { variants: { short: prompt } } });
const fewShot = (more: Patch = {}) => ({ prompt: { fewShot: { count: 2, seed: 1, ...more } } });
const withSource = (source: Patch) => ({ source: { path: 'quiz.jsonl', ...source } });
const OWN_FIELDS = { id: 'id', options: 'options', label: { field: 'answer', as: 'letter' } };
const COLUMNS = { ...OWN_FIELDS, options: { columns: ['a', 'b'] } };
const HEADER = ['id', 'question', 'a', 'b', 'answer'];
const OTHER_HEADER = ['id', 'question', 'b', 'a', 'answer'];
/** A form of the rows that is the one they have: `fields` of the data set are not there. */
const inForm = (form: Patch, source = 'quiz.jsonl') => ({
  source,
  fields: { ...OWN_FIELDS, options: 'nowhere' },
  forms: [{ fields: OWN_FIELDS, ...form }],
});
/** The fields of `fields`, changed in that form. */
const fieldsInForm = ({ before = {}, after, why }: Case): Case => {
  const of = (...patches: readonly Patch[]) => inForm({ fields: merge({ fields: OWN_FIELDS }, patches).fields });
  return { before: of(before), after: of(before, after), ...(why !== undefined && { why }) };
};
const textMode = (scoring: Patch = {}) => ({
  scoring: { mode: 'text', ...scoring },
  prompt: { template: 'Question: {question}\nAnswer:', variants: undefined },
});

export const DATASET: Record<string, Case> = {
  'size.rows': { after: { size: SIZE }, why: DESCRIBES },
  'size.promptTokens': { after: { size: SIZE }, why: DESCRIBES },
  'size.longestTokens': { after: { size: { ...SIZE, longestTokens: 40 } }, why: DESCRIBES },
  'size.options': { after: { size: SIZE }, why: DESCRIBES },
  id: { before: { id: 'quiz' }, after: { id: 'renamed' } },
  title: { after: { title: 'A quiz' }, why: DESCRIBES },
  labelBase: { before: { fields: { label: 'middle' }, labelBase: 0 }, after: { labelBase: 1 } },
  source: { after: { source: 'other.jsonl' } },
  'source.path': { before: withSource({}), after: { source: { path: 'other.jsonl' } } },
  'source.files.*': {
    before: {
      source: { path: undefined, files: { question: 'q.txt', id: 'id.txt', answer: 'a.txt' } },
      fields: { options: { labels: ['x', 'y'] } },
    },
    after: { source: { files: { question: 'q2.txt' } } },
  },
  'source.files': { untried: 'a list is for files of the hub', after: {} },
  'source.hub': { untried: HUB, after: {} },
  'source.revision': { untried: HUB, after: {} },
  'source.config': { untried: HUB, after: {} },
  'source.split': { untried: HUB, after: {} },
  'source.filter.field': {
    before: withSource({ filter: { field: 'answer', equals: 'A' } }),
    after: withSource({ filter: { field: 'always' } }),
  },
  'source.filter.equals': {
    before: withSource({ filter: { field: 'answer', equals: 'A' } }),
    after: withSource({ filter: { equals: 'B' } }),
  },
  'source.filter.in': {
    before: withSource({ filter: { field: 'answer', in: ['A'] } }),
    after: withSource({ filter: { in: ['B'] } }),
  },
  'source.filter[].field': {
    before: withSource({ filter: [{ field: 'answer', equals: 'A' }] }),
    after: withSource({ filter: [{ field: 'always', equals: 'A' }] }),
  },
  'source.filter[].equals': {
    before: withSource({ filter: [{ field: 'answer', equals: 'A' }] }),
    after: withSource({ filter: [{ field: 'answer', equals: 'B' }] }),
  },
  'source.filter[].in': {
    before: withSource({ filter: [{ field: 'answer', in: ['A'] }] }),
    after: withSource({ filter: [{ field: 'answer', in: ['B'] }] }),
  },
  'source.sample.count': {
    before: withSource({ sample: { count: 4, seed: 1 } }),
    after: withSource({ sample: { count: 5 } }),
  },
  'source.sample.seed': {
    before: withSource({ sample: { count: 4, seed: 1 } }),
    after: withSource({ sample: { seed: 2 } }),
  },
  'source.format': { before: withSource({}), after: withSource({ format: 'jsonl' }), why: NOT_READ_FROM_HERE },
  'source.delimiter': {
    before: { source: { path: 'quiz.csv' }, fields: { options: { columns: ['a', 'b'] } } },
    after: { source: { path: 'semicolons.csv', delimiter: ';' } },
    why: NOT_READ_FROM_HERE,
  },
  'source.header': {
    before: { source: { path: 'bare.csv', header: HEADER }, fields: COLUMNS },
    after: { source: { header: OTHER_HEADER } },
  },
  'source.quote': { before: { source: { path: 'quoted.csv' }, fields: COLUMNS }, after: { source: { quote: 'none' } } },
  'source.rows': {
    before: { source: { path: 'nested.json', rows: 'data' } },
    after: { source: { rows: 'more' } },
  },
  'source.layout': { untried: 'a file has its rows in one layout', after: {} },
  'source.explode': { untried: 'a row is of one list or of none; what it becomes is in the key as any row', after: {} },
  'source.limit': { before: withSource({}), after: withSource({ limit: 5 }) },
  'fields.id': { after: { fields: { id: 'number' } } },
  'fields.options': { after: { fields: { options: 'shuffled' } } },
  'fields.options.field': {
    before: { fields: { options: { field: 'options' } } },
    after: { fields: { options: { field: 'shuffled' } } },
  },
  'fields.options.columns': {
    before: { fields: { options: { columns: ['a', 'b'] }, label: 'always' } },
    after: { fields: { options: { columns: ['b', 'a'] } } },
  },
  'fields.options.labels': {
    before: { fields: { options: { labels: ['x', 'y', 'u', 'v'] } } },
    after: { fields: { options: { labels: ['x', 'y', 'u', 'w'] } } },
  },
  'fields.group': {
    after: { fields: { group: 'question' } },
    why: 'which rows stay on one side of a split; changes no prompt',
  },
  'fields.label': { before: { fields: { label: 'answer' } }, after: { fields: { label: 'always' } } },
  'fields.label.field': { before: labelField(), after: labelField({ field: 'always' }) },
  'fields.label.as': {
    before: { fields: { options: 'letters', label: { field: 'always', as: 'letter' } } },
    after: labelField({ field: 'always', as: 'text' }),
  },
  'fields.label.labelBase': {
    before: labelField({ field: 'middle', as: 'index', labelBase: 0 }),
    after: { fields: { label: { labelBase: 1 } } },
  },
  'fields.options.extract': {
    before: { fields: { options: { field: 'lettered' }, label: 'always' } },
    after: { fields: { options: { extract: 'lettered' } } },
  },
  'fields.options.map': {
    before: { fields: { options: { map: 'mapped' } } },
    after: { fields: { options: { map: 'mapped2' } } },
  },
  'fields.options.truth': {
    before: { fields: { options: { truth: 'truth', seed: 1 }, label: undefined } },
    after: { fields: { options: { truth: 'truth2' } } },
  },
  'fields.options.seed': {
    before: { fields: { options: { truth: 'truth', seed: 1 }, label: undefined } },
    after: { fields: { options: { seed: 2 } } },
  },
  'fields.options.right': {
    before: { fields: { options: { right: 'a', wrong: 'letters', seed: 1 }, label: undefined } },
    after: { fields: { options: { right: 'b' } } },
  },
  'fields.options.wrong': {
    before: { fields: { options: { right: 'a', wrong: 'letters', seed: 1 }, label: undefined } },
    after: { fields: { options: { wrong: ['b', 'rest'] } } },
  },
  'fields.options.separator': {
    before: { fields: { options: { right: 'a', wrong: ['b', 'rest'], seed: 1 }, label: undefined } },
    after: { fields: { options: { separator: ';' } } },
  },
  'fields.label.keys': {
    before: { fields: { label: { field: 'always', as: undefined, keys: 'letters' } } },
    after: { fields: { label: { keys: 'letters2' } } },
  },
  'fields.prompt.*': {
    before: { fields: { prompt: { question: 'question' } } },
    after: { fields: { prompt: { question: 'always' } } },
  },
  'forms[].decode.*': { before: inForm({}), after: inForm({ decode: { question: 'html' } }) },
  'forms[].delimiter': {
    before: inForm({ fields: COLUMNS }, 'quiz.csv'),
    after: inForm({ fields: COLUMNS, delimiter: ';' }, 'semicolons.csv'),
    why: NOT_READ_FROM_HERE,
  },
  'forms[].header': {
    before: inForm({ fields: COLUMNS, header: HEADER }, 'bare.csv'),
    after: inForm({ fields: COLUMNS, header: OTHER_HEADER }, 'bare.csv'),
  },
  'forms[].quote': {
    before: inForm({ fields: COLUMNS }, 'quoted.csv'),
    after: inForm({ fields: COLUMNS, quote: 'none' }, 'quoted.csv'),
  },
  'decode.*': { after: { decode: { question: 'html' } } },
  duplicateOptions: { before: { fields: { options: 'twins' } }, after: { duplicateOptions: 'skip' } },
  severalAnswers: {
    before: { severalAnswers: 'first', fields: { label: 'several' } },
    after: { severalAnswers: 'skip' },
  },
  missingLabels: { before: { fields: { label: 'sometimes' } }, after: { missingLabels: 'skip' } },
  emptyOptions: { before: { emptyOptions: 'keep', fields: { options: 'empties' } }, after: { emptyOptions: 'skip' } },
  'prompt.template': { after: { prompt: { template: 'Q: {question}\n{options}\nA:' } } },
  'prompt.option': { after: { prompt: { option: '({label}) {text}' } } },
  'prompt.optionJoin': { after: { prompt: { optionJoin: '; ' } } },
  'prompt.optionLabels': { after: { prompt: { optionLabels: 'digits' } } },
  'prompt.answerPrefix': { after: { prompt: { answerPrefix: '\n' } } },
  'prompt.variants.*.template': {
    before: inVariant({}),
    after: inVariant({ template: 'Briefly: {question} {options}' }),
  },
  'prompt.variants.*.option': { before: inVariant({}), after: inVariant({ option: '({label}) {text}' }) },
  'prompt.variants.*.optionJoin': { before: inVariant({}), after: inVariant({ optionJoin: '; ' }) },
  'prompt.variants.*.optionLabels': { before: inVariant({}), after: inVariant({ optionLabels: 'digits' }) },
  'prompt.variants.*.answerPrefix': { before: inVariant({}), after: inVariant({ answerPrefix: '\n' }) },
  'prompt.fewShot.count': { before: fewShot(), after: fewShot({ count: 3 }) },
  'prompt.fewShot.seed': { before: fewShot(), after: fewShot({ seed: 2 }) },
  'prompt.fewShot.from': { before: fewShot(), after: fewShot({ from: 'other.jsonl' }) },
  'prompt.fewShot.from.split': { untried: HUB, after: {} },
  'prompt.fewShot.separator': { before: fewShot(), after: fewShot({ separator: '\n---\n' }) },
  variant: { after: { variant: 'short' } },
  'scoring.mode': { before: { prompt: { variants: undefined } }, after: { scoring: { mode: 'hybrid' } } },
  'scoring.normalize': { before: textMode(), after: textMode({ normalize: 'mean-token' }) },
  'scoring.pmiPrompt': {
    before: textMode({ normalize: 'pmi' }),
    after: textMode({ normalize: 'pmi', pmiPrompt: 'So:' }),
  },
  'elicitation.prompt': {
    after: { elicitation: { prompt: 'Say {labels}.' } },
    why: REPLIES,
  },
  'scoring.minimumOptionMass': { after: { scoring: { minimumOptionMass: 0.1 } }, why: AFTER_SCORING },
};

for (const [field, each] of Object.entries(DATASET))
  if (field.startsWith('fields.')) DATASET[`forms[].${field}`] = fieldsInForm(each);

export const SUITE: Record<string, Case> = {
  title: { after: { title: 'A suite' }, why: DESCRIBES },
  targets: { after: { targets: ['target'] }, why: CHOOSES },
  'targets.*': { after: { targets: { quiz: ['target'] } }, why: CHOOSES },
  datasets: { after: { datasets: ['quiz', 'second'] }, why: CHOOSES },
  references: { after: { references: ['reference'] }, why: CHOOSES },
  combinationSizes: { after: { combinationSizes: [1] }, why: AFTER_SCORING },
  'combinationSizes.*': { after: { combinationSizes: { quiz: [1] } }, why: AFTER_SCORING },
  methods: { after: { methods: ['vanilla', 'daca'] }, why: CHOOSES },
  'methods.*': { after: { methods: { quiz: ['vanilla', 'daca'] } }, why: CHOOSES },
  'elicitation.samples': { after: { elicitation: { samples: 3 } }, why: REPLIES },
  'elicitation.temperature': { after: { elicitation: { temperature: 1 } }, why: REPLIES },
  'elicitation.seed': { after: { elicitation: { seed: 2 } }, why: REPLIES },
  'elicitation.aggregator': { after: { elicitation: { aggregator: 'consistency' } }, why: AFTER_SCORING },
  'elicitation.structured': { after: { elicitation: { structured: 'text' } }, why: REPLIES },
  'elicitation.maxTokens': { after: { elicitation: { maxTokens: 9 } }, why: REPLIES },
  'elicitation.minimumCoverage': { after: { elicitation: { minimumCoverage: 0 } }, why: AFTER_SCORING },
  'elicitation.prompt': { after: { elicitation: { prompt: 'Say {labels}.' } }, why: REPLIES },
  'elicitation.trueFalse.prompt': {
    before: { elicitation: { trueFalse: { prompt: 'Is {label} right?', labels: ['yes', 'no'] } } },
    after: { elicitation: { trueFalse: { prompt: 'Is {text} right?' } } },
    why: REPLIES,
  },
  'elicitation.trueFalse.labels': {
    before: { elicitation: { trueFalse: { prompt: 'Is {label} right?', labels: ['yes', 'no'] } } },
    after: { elicitation: { trueFalse: { labels: ['True', 'False'] } } },
    why: REPLIES,
  },
  seeds: { after: { seeds: [9] }, why: AFTER_SCORING },
  calibrationFraction: { after: { calibrationFraction: 0.5 }, why: AFTER_SCORING },
  bins: { after: { bins: 7 }, why: AFTER_SCORING },
  binEdges: { after: { binEdges: 'equal-mass' }, why: AFTER_SCORING },
  edgeRule: { after: { edgeRule: 'right-owned' }, why: AFTER_SCORING },
  diagnostics: { after: { diagnostics: 'full' }, why: AFTER_SCORING },
  examples: { after: { examples: 'per-method' }, why: AFTER_SCORING },
  bootstrap: { after: { bootstrap: 0 }, why: AFTER_SCORING },
  removeAfterScoring: { after: { removeAfterScoring: true }, why: 'says which files stay, not what is asked of them' },
  'published.file': { untried: PRINTED, after: {} },
  'published.tables': { untried: PRINTED, after: {} },
  'published.diagnostics': { untried: PRINTED, after: {} },
};

/** What the flags do to a key: by the name of the option. */
export const OPTIONS: Record<
  keyof Required<RunOptions>,
  { readonly after: Partial<RunOptions>; readonly why?: string }
> = {
  command: { after: { command: ['pipeline'] }, why: 'what was typed; what it means is below' },
  suite: { after: { suite: 'other' }, why: CHOOSES },
  models: { after: {}, why: 'the fields of the file are above' },
  quant: { after: { quant: 'Q4_0' }, why: 'chooses the file, whose content is in the key' },
  datasets: { after: {}, why: 'the fields of its files are above' },
  cache: { after: { cache: 'elsewhere' }, why: 'where scores are kept' },
  out: { after: { out: 'elsewhere' }, why: 'where results go' },
  datasetIds: { after: { datasetIds: ['quiz'] }, why: CHOOSES },
  sources: { after: { sources: new Map() }, why: 'takes the place of `source` of a data set, above' },
  targetIds: { after: { targetIds: ['target'] }, why: CHOOSES },
  modelIds: { after: { modelIds: ['target'] }, why: CHOOSES },
  shard: { after: { shard: { index: 0, count: 2 } }, why: CHOOSES },
  methodFiles: { after: { methodFiles: [] }, why: AFTER_SCORING },
  seeds: { after: { seeds: [9] }, why: AFTER_SCORING },
  calibrationFraction: { after: { calibrationFraction: 0.5 }, why: AFTER_SCORING },
  bins: { after: { bins: 7 }, why: AFTER_SCORING },
  binEdges: { after: { binEdges: 'equal-mass' }, why: AFTER_SCORING },
  edgeRule: { after: { edgeRule: 'right-owned' }, why: AFTER_SCORING },
  diagnostics: { after: { diagnostics: 'full' }, why: AFTER_SCORING },
  listCombinations: { after: { listCombinations: true }, why: AFTER_SCORING },
  bootstrap: { after: { bootstrap: 0 }, why: AFTER_SCORING },
  threads: { after: { threads: 2 }, why: AFTER_SCORING },
  allowOutside: { after: { allowOutside: true }, why: CHOOSES },
  offline: { after: { offline: true }, why: 'rows that came earlier are the same rows' },
  limit: { after: { limit: 5 } },
  devices: { after: { devices: [0] }, why: 'says which cards of one device compute; the device is in the key' },
  gpu: { after: { gpu: 'cuda' }, why: 'what it comes to, the backend, is in the key' },
  elsewhere: { after: { elsewhere: { device: 'cuda' } }, why: 'the device of the workers, in the key as any device' },
  refresh: { after: { refresh: true }, why: 'scores again under the same key' },
  maxCost: { after: { maxCost: 1 }, why: 'refuses to ask, and asks the same' },
  keepFor: { after: { keepFor: [] }, why: 'says which files stay, not what is asked of them' },
  disk: { after: { disk: 1e9 }, why: 'says which files stay, not what is asked of them' },
};

/** Every field that a worker gets: the field of models.yaml above that changes it, or why it has none. */
export const WORKER: Record<keyof Required<WorkerPlan>, { readonly by: string } | { readonly why: string }> = {
  model: { by: 'id' },
  share: { why: 'leaves whole batches to other children, which are what they are without it' },
  modelPath: { why: 'the content of the file is in the key, wherever it lies' },
  device: { why: 'in the key as it is' },
  prompt: { by: 'prompt' },
  assistantPrefix: { by: 'assistantPrefix' },
  bos: { by: 'scoring.bos' },
  preTokenizer: { by: 'scoring.preTokenizer' },
  lora: { by: 'lora[].scale' },
  kvType: { by: 'scoring.kvType' },
  flashAttention: { by: 'scoring.flashAttention' },
  gpuLayers: { by: 'scoring.gpuLayers' },
  contextSize: { by: 'scoring.contextSize' },
  sequences: { by: 'scoring.sequences' },
  company: { why: 'in the key where prompts go in turn; else it follows from the file and the device' },
  cells: { why: 'a fixed number on a GPU, none on a CPU' },
  contexts: { why: 'two contexts of one model compute the same' },
  atOnce: { why: 'says which of the contexts wait, not what they compute' },
  batchSize: { by: 'scoring.batchSize' },
  threads: { by: 'scoring.threads' },
  maxFailedShare: { why: 'ends a model early or not; changes no logit' },
};

/** What the scorer is asked, and every field changed alone. */
export const PROMPT: ExamplePrompt = {
  id: 'q',
  text: 'What?',
  mode: 'letter',
  continuations: ['A', 'B'],
  answerPrefix: null,
};
export const PROMPT_CHANGES: { readonly [F in keyof Required<ExamplePrompt>]: Required<ExamplePrompt>[F] } = {
  id: 'r',
  text: 'What ?',
  mode: 'text',
  continuations: ['B', 'A'],
  answerPrefix: ' ',
  textScore: { normalize: 'sum' },
  rotations: [],
  reply: { example: 'q', sample: 1, seed: 1, temperature: 0, maxTokens: 8, form: null, options: ['x', 'y'] },
};

function sha256Of(model: string): string {
  return createHash('sha256')
    .update(readFileSync(path.join(demoModels, model)))
    .digest('hex');
}
