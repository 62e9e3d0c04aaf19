import { FORMAT_NAMES } from '../formats/format-table.js';
import { jsonSchemas } from './json-schemas.js';

const MODELS = `# yaml-language-server: $schema=schemas/models.schema.json
# Models and suites. \`supportcal validate\` checks this file and the data sets without running anything.
# Small models, so that a first run is short; put yours in their place: a path, or hf:owner/repo/file.gguf.
# Sizes (parameters in billions, KiB of KV cache a token, vocabulary) let \`supportcal doctor\` say what a run takes before the
# files are here; leave them out if you do not know them.
models:
  # A base is a pretrained model. References of a target are the other bases of its bucket (models of about one size).
  - { id: qwen-0.5b, role: base, bucket: tiny, parameters: 0.49, kvCacheKiB: 12, vocabulary: 151936, file: "hf:QuantFactory/Qwen2.5-0.5B-GGUF/Qwen2.5-0.5B.{quant}.gguf" }
  - { id: qwen-1.5b, role: base, bucket: tiny, parameters: 1.54, kvCacheKiB: 28, vocabulary: 151936, file: "hf:QuantFactory/Qwen2.5-1.5B-GGUF/Qwen2.5-1.5B.{quant}.gguf" }
  # A post-trained model names the base that it was made from. prompt: chat uses the chat template of its file.
  - id: qwen-0.5b-instruct
    role: post-trained
    base: qwen-0.5b
    bucket: tiny
    parameters: 0.49
    kvCacheKiB: 12
    vocabulary: 151936
    file: "hf:bartowski/Qwen2.5-0.5B-Instruct-GGUF/Qwen2.5-0.5B-Instruct-{quant}.gguf"   # --quant; default Q8_0
    prompt: raw

suites:
  mine:
    title: My models on my questions
    targets: all                  # or a list of post-trained models
    datasets: [my-quiz]           # files of datasets/, without .yaml
    combinationSizes: [1]         # M, how many references SupportCal combines; at most those of the bucket
    methods: [vanilla, daca, supportcal, auto, oracle-ts]
    seeds: [1, 2, 3, 4, 5]
`;

/** Formats of one file of rows, beside that of the first data set. */
const OTHER_FORMATS = FORMAT_NAMES.filter((name) => name !== 'jsonl' && name !== 'text').join(', ');

const DATASET = `# yaml-language-server: $schema=../schemas/dataset.schema.json
# A data set: where its rows are, what their fields mean, and how a row becomes a prompt.
# \`supportcal add-dataset FILE\` proposes such a file for rows that you have.
title: My quiz
source: my-quiz.jsonl             # also ${OTHER_FORMATS}; or { hub: owner/name, split: test }
fields:
  id: id                          # without it, ids are hashes of the rows
  options: options                # a field with a list; or { columns: [a, b, c, d] }, or { labels: [no, yes] }
  label: { field: answer, as: letter }   # letter, text, or index with labelBase: 0 or 1; leave it out if there are none
prompt:
  template: "Question: {question}\\n{options}\\nAnswer:"
`;

const ROWS = [
  {
    id: 'q1',
    question: 'Which planet is closest to the sun?',
    options: ['Venus', 'Mercury', 'Mars', 'Earth'],
    answer: 'B',
  },
  { id: 'q2', question: 'How many sides has a hexagon?', options: ['five', 'eight', 'six', 'seven'], answer: 'C' },
  { id: 'q3', question: 'What do bees make?', options: ['honey', 'silk', 'milk', 'pearls'], answer: 'A' },
  { id: 'q4', question: 'Which of these is a metal?', options: ['oxygen', 'sulfur', 'carbon', 'iron'], answer: 'D' },
];

/** A first models.yaml, data set and the schemas that editors check them with, by path in the folder of the user. */
export function starterFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['models.yaml', MODELS],
    ['datasets/my-quiz.yaml', DATASET],
    ['datasets/my-quiz.jsonl', ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')],
    ...[...jsonSchemas()].map(([name, text]) => [`schemas/${name}`, text] as const),
  ]);
}
