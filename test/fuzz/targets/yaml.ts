import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { loadDatasetSpecs } from '../../../src/config/load-dataset-specs.js';
import { loadModels } from '../../../src/config/load-models.js';
import { planSuite } from '../../../src/config/plan-suite.js';
import { fieldMapping } from '../../../src/datasets/fields/field-mapping.js';
import { allPromptLayouts } from '../../../src/datasets/prompts/prompt-layout.js';
import { SupportCalError } from '../../../src/errors/supportcal-error.js';
import { type FuzzTarget, WrongRow } from '../fuzz-case.js';
import { mutateText } from '../mutate-text.js';
import { mutateValue } from '../mutate-value.js';
import type { Random } from '../random.js';

const MODELS = {
  models: [
    { id: 'b1', role: 'base', bucket: 'small', file: 'a.gguf', sha256: 'a'.repeat(64) },
    { id: 'b2', role: 'base', bucket: 'small', file: 'b.gguf', scoring: { contextSize: 512, kvType: 'f16' } },
    { id: 'b3', role: 'base', bucket: 'small' },
    { id: 't', role: 'post-trained', base: 'b1', bucket: 'small', prompt: 'chat', assistantPrefix: 'Answer:' },
    {
      id: 'u',
      role: 'post-trained',
      base: 'b2',
      bucket: 'small',
      file: 'u.gguf',
      lora: [{ file: 'l.gguf', scale: 0.5 }],
    },
  ],
  suites: {
    s: { targets: ['t', 'u'], datasets: ['d'], combinationSizes: { d: [1, 2] }, seeds: [1, 2], bins: 10 },
    all: { datasets: ['d'], methods: ['vanilla', 'supportcal'], calibrationFraction: 0.3 },
  },
};

const DATASET = {
  title: 'A quiz',
  source: { path: 'rows.jsonl', format: 'jsonl', limit: 100 },
  fields: { id: ['nr', 'part'], options: { columns: ['a', 'b', 'c'] }, label: { field: 'cop', labelBase: 1 } },
  emptyOptions: 'skip',
  prompt: {
    template: 'Question: {question}\n{options}\nAnswer:',
    option: '{label}. {text}',
    optionLabels: ['x', 'y', 'z'],
    variants: { chat: { template: 'What?\n{question}{options}' } },
    fewShot: { count: 2, seed: 1, from: 'train.jsonl', separator: '\n\n' },
  },
  scoring: { mode: 'hybrid', normalize: 'pmi', pmiPrompt: 'Answer:' },
};

export const modelsYaml: FuzzTarget = {
  name: 'models.yaml',
  async run(random, folder) {
    const file = path.join(folder, 'models.yaml');
    writeFileSync(file, mutatedYaml(MODELS, random));
    const models = await loadModels(file);
    for (const suite of Object.keys(models.suites)) {
      const plan = planSuite(models, { suite });
      for (const { target, ownBase, referencePool } of plan.targets) {
        if (ownBase.id !== target.base || referencePool.some(({ id }) => id === target.base)) throw new WrongRow(suite);
      }
    }
    return 'accepted';
  },
};

export const datasetYaml: FuzzTarget = {
  name: 'data-set YAML',
  async run(random, folder) {
    writeFileSync(path.join(folder, 'd.yaml'), mutatedYaml(DATASET, random));
    const [spec] = await loadDatasetSpecs(folder, null);
    if (spec!.yaml.fields === undefined || spec!.yaml.source === undefined) return 'accepted';
    fieldMapping(spec!);
    const { faults } = allPromptLayouts(spec!);
    if (faults.length > 0) throw new SupportCalError('bad-input', faults);
    return 'accepted';
  },
};

/** Changes of the data, of the text, or of both; now and then hand-made attacks of the parser itself. */
function mutatedYaml(good: object, random: Random): Buffer {
  const value = random.chance(0.6) ? mutateValue(good, random) : good;
  let text = random.chance(0.5) ? stringify(value) : `${JSON.stringify(value, null, random.below(3))}\n`;
  if (random.chance(0.05)) text = random.pick(BOMBS)(random) + text;
  return random.chance(0.6) ? mutateText(text, random) : Buffer.from(text);
}

const BOMBS: ReadonlyArray<(random: Random) => string> = [
  () =>
    `a0: &a0 [x, x]\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]\n`).join('')}`,
  () => 'a: &a {b: *a}\n',
  (random) => `${'['.repeat(random.below(20_000))}\n`,
  (random) => `x: ${'{y: '.repeat(random.below(3_000))}\n`,
  (random) => `${Array.from({ length: random.below(400) }, (_, n) => `${' '.repeat(n)}k:\n`).join('')}`,
  () => `x: ${'a'.repeat(5_000_000)}\n`,
  () => '<<: {__proto__: {tau: 1}}\n',
  () => '? {a: 1}\n: 2\n',
  () => '? *x\n: 1\n',
  (random) => `k: ${'"\\n'.repeat(random.below(2_000))}\n`,
];
