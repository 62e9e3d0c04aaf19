import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jsonSchemas } from '../../src/config/json-schemas.js';
import { loadDatasetSpecs } from '../../src/config/load-dataset-specs.js';
import { loadModels } from '../../src/config/load-models.js';
import { starterFiles } from '../../src/config/starter-files.js';
import { fieldMapping } from '../../src/datasets/fields/field-mapping.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'supportcal-schemas-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ajv = new Ajv2020({ allErrors: true, strict: false });
const validators = new Map([...jsonSchemas()].map(([name, text]) => [name, ajv.compile(JSON.parse(text))]));
const errorsOf = (schema: string, value: unknown) => {
  const validate = validators.get(schema)!;
  validate(value);
  return validate.errors ?? [];
};

const loads = (loading: Promise<unknown>) =>
  loading.then(
    () => true,
    () => false,
  );

/** Whether the loader takes a data-set YAML, rows aside. */
async function loadsDataset(text: string): Promise<boolean> {
  writeFileSync(path.join(folder, 'd.yaml'), text);
  return loads(loadDatasetSpecs(folder, ['d']).then(([spec]) => spec!.yaml.fields && fieldMapping(spec!)));
}

async function loadsModels(text: string): Promise<boolean> {
  const file = path.join(folder, 'models.yaml');
  writeFileSync(file, text);
  return loads(loadModels(file)).finally(() => rmSync(file));
}

const FIELDS = 'fields: { id: id, options: choices, label: { field: answer, as: letter } }';
const PROMPT = 'prompt: { template: "{q}\\n{options}\\nAnswer:" }';
const dataset = (source: string, fields = FIELDS, rest = PROMPT) => `source: ${source}\n${fields}\n${rest}\n`;
const options = (text: string) => dataset('a.csv', `fields: { options: ${text} }`);
const label = (text: string, choices = 'choices') =>
  dataset('a.csv', `fields: { options: ${choices}, label: ${text} }`);

describe('a data-set YAML is taken, or refused, by schema and loader alike', () => {
  it.each<[boolean, string, string]>([
    [true, 'a file', dataset('a.csv')],
    [true, 'an empty file of imported rows', '{}\n'],
    [true, 'several files', dataset('{ path: [a.csv, b.csv], header: [a, b], quote: none }')],
    [true, 'paired text files', dataset('{ files: { text: a.txt, label: b.txt } }')],
    [true, 'a split of the hub', dataset('{ hub: o/n, split: test, config: c, revision: main }')],
    [true, 'files of the hub', dataset('{ hub: o/n, files: [a.parquet] }')],
    [true, 'a filter', dataset('{ path: a.csv, filter: { field: s, in: [1, yes] } }')],
    [true, 'two filters', dataset('{ path: a.csv, filter: [{ field: s, equals: 1 }, { field: t, equals: x }] }')],
    [true, 'other forms', `${dataset('a.csv')}forms: [{ header: [a, b], ${FIELDS} }]\n`],
    [true, 'an index', label('{ field: cop, labelBase: detect }')],
    [true, 'an index whose base stands above', `${label('{ field: cop, as: index }')}labelBase: 1\n`],
    [true, 'text scoring', `${dataset('a.csv')}scoring: { mode: text, normalize: pmi, pmiPrompt: "A:" }\n`],
    [true, 'empty options in letter mode', `${dataset('a.csv')}emptyOptions: keep\n`],
    [false, 'an unknown key', `${dataset('a.csv')}emptyOption: keep\n`],
    [false, 'no way to find the rows', dataset('{ limit: 5 }')],
    [false, 'a path and a hub', dataset('{ path: a.csv, hub: o/n, split: test }')],
    [false, 'a path and text files', dataset('{ path: a.csv, files: { text: b.txt } }')],
    [false, 'a list of local files', dataset('{ files: [a.txt] }')],
    [false, 'a split of a file', dataset('{ path: a.csv, split: test }')],
    [false, 'a hub without split or files', dataset('{ hub: o/n }')],
    [false, 'a hub with split and files', dataset('{ hub: o/n, split: test, files: [a.csv] }')],
    [false, 'an address that is none', dataset('{ hub: "https://x/y", split: test }')],
    [false, 'a filter without a value', dataset('{ path: a.csv, filter: { field: s } }')],
    [false, 'a filter with two', dataset('{ path: a.csv, filter: { field: s, equals: 1, in: [1] } }')],
    [false, 'a limit of 0', dataset('{ path: a.csv, limit: 0 }')],
    [false, 'another quote', dataset('{ path: a.csv, quote: "|" }')],
    [false, 'a delimiter of two characters', dataset('{ path: a.csv, delimiter: "||" }')],
    [false, 'a header with a name twice', dataset('{ path: a.csv, header: [a, a] }')],
    [false, 'an unknown format', dataset('{ path: a.csv, format: xlsx }')],
    [false, 'no options', dataset('a.csv', 'fields: { id: id }')],
    [false, 'one column', options('{ columns: [a] }')],
    [false, 'a label that is a boolean', options('{ labels: [yes, true] }')],
    [false, 'lettered options with a separator', options('{ field: o, extract: lettered, separator: ";" }')],
    [false, 'truth without a seed', options('{ truth: t }')],
    [false, 'a label beside truth', label('a', '{ truth: t, seed: 1 }')],
    [false, 'a label beside the right option', label('a', '{ right: r, wrong: w, seed: 1 }')],
    [false, 'keys with a base', label('{ field: a, keys: k, labelBase: 0 }')],
    [false, 'keys with a kind', label('{ field: a, keys: k, as: letter }')],
    [false, 'an index without a base', label('{ field: a, as: index }')],
    [false, 'a base of 2', label('{ field: a, labelBase: 2 }')],
    [false, 'an unknown rule of decoding', `${dataset('a.csv')}decode: { q: rot13 }\n`],
    [false, 'an unknown policy', `${dataset('a.csv')}missingLabels: drop\n`],
    [false, 'an empty template', dataset('a.csv', FIELDS, 'prompt: { template: "" }')],
    [false, 'normalize in letter mode', `${dataset('a.csv')}scoring: { normalize: sum }\n`],
    [false, 'a pmi prompt without pmi', `${dataset('a.csv')}scoring: { mode: text, pmiPrompt: "A:" }\n`],
    [false, 'empty options in text mode', `${dataset('a.csv')}scoring: { mode: text }\nemptyOptions: keep\n`],
    [false, 'forms without fields', `${dataset('a.csv')}forms: [{ header: [a, b] }]\n`],
  ])('%s: %s', async (fits, _, text) => {
    expect([await loadsDataset(text), errorsOf('dataset.schema.json', parse(text)).length === 0]).toEqual([fits, fits]);
  });
});

const BASE = '{ id: b, role: base, bucket: s }';
const TARGET = '{ id: t, role: post-trained, base: b, bucket: s }';
const models = (entry: string, suite = '{ datasets: [d] }', rest = '') =>
  `models:\n  - ${BASE}\n  - ${TARGET}\n  - ${entry}\nsuites:\n  s: ${suite}\n${rest}`;
const base = (more: string) => models(`{ id: x, role: base, ${more} }`);

describe('a models.yaml is taken, or refused, by schema and loader alike', () => {
  it.each<[boolean, string, string]>([
    [true, 'a base model', base('file: a.gguf')],
    [true, 'a hash in capitals', base(`file: a.gguf, sha256: ${'A1'.repeat(32)}`)],
    [true, 'adapters', base('file: a.gguf, lora: [{ file: l.gguf, scale: 0.5 }]')],
    [true, 'a reply that is begun', base('file: a.gguf, prompt: chat, assistantPrefix: "A:"')],
    [
      true,
      'a suite with everything per data set',
      models(
        BASE.replace('b,', 'c,'),
        '{ datasets: [d], targets: { d: [t] }, combinationSizes: { default: [1] }, methods: { d: [daca] } }',
      ),
    ],
    [false, 'no models', 'models: []\nsuites: { s: { datasets: [d] } }\n'],
    [false, 'no suites', `models: [${BASE}]\n`],
    [false, 'no role', models('{ id: x }')],
    [false, 'another role', models('{ id: x, role: teacher }')],
    [false, 'post-trained without a base', models('{ id: x, role: post-trained }')],
    [false, 'a base with a base', base('base: b')],
    [false, 'an unknown key', base('contextsize: 5')],
    [false, 'a hash of another length', base('sha256: abc')],
    [false, 'an adapter without a model', base('lora: l.gguf')],
    [false, 'a begun reply of a raw prompt', base('file: a.gguf, assistantPrefix: "A:"')],
    [
      false,
      'a quantised cache without flash attention',
      base('file: a.gguf, scoring: { kvType: q8_0, flashAttention: off }'),
    ],
    [false, 'a negative context', base('scoring: { contextSize: -1 }')],
    [false, 'a suite without data sets', models(BASE.replace('b,', 'c,'), '{ seeds: [1] }')],
    [false, 'a fraction of 1', models(BASE.replace('b,', 'c,'), '{ datasets: [d], calibrationFraction: 1 }')],
    [false, 'a size of 0', models(BASE.replace('b,', 'c,'), '{ datasets: [d], combinationSizes: [0] }')],
    [false, 'a quantisation that is a path', models(BASE.replace('b,', 'c,'), '{ datasets: [d] }', 'quant: a/b\n')],
  ])('%s: %s', async (fits, _, text) => {
    expect([await loadsModels(text), errorsOf('models.schema.json', parse(text)).length === 0]).toEqual([fits, fits]);
  });
});

describe('the schemas', () => {
  const shipped = [
    ...readdirSync(path.join(root, 'datasets')).map((name) => `datasets/${name}`),
    ...['models.yaml', 'published/supportcal-paper.yaml'],
  ].filter((name) => name.endsWith('.yaml'));

  const texts = shipped.map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const);
  const starters = [...starterFiles()].filter(([file]) => file.endsWith('.yaml'));

  it.each([...texts, ...starters.map(([file, text]) => [`${file} of init`, text] as const)])('accept %s', (_, text) => {
    const named = path.basename(/\$schema=(\S+)/.exec(text)![1]!);
    expect(errorsOf(named, parse(text))).toEqual([]);
  });
});
