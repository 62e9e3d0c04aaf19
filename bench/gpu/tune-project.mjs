/*
 * Writes a project for `supportcal doctor --tune` on a card: one file as base and target, with suites of letters
 * after prompts of some 200 tokens (`letters`), of some 64 (`short`), of whole texts (`texts`), and of letters beside
 * five free replies to each question (`free`).
 *
 *   node tune-project.mjs FOLDER MODEL.gguf [ROWS]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, file, rows = '4096'] = process.argv.slice(2);
const count = Number(rows);
const WORDS =
  'time year people way day man thing woman life child world school state family student group country'.split(' ');
let seed = 1;

mkdirSync(join(folder, 'datasets'), { recursive: true });
const texts = [0, 1, 2, 3].map((n) => words(7 + (n % 2)));
const LETTERS = { options: ['a', 'b', 'c', 'd'], template: '{question}\\n{options}\\nAnswer:', mode: '' };
dataset('long', 170, LETTERS);
dataset('brief', 34, LETTERS);
dataset('whole', 190, { options: texts, template: '{question}', mode: ', mode: text' });
const path = JSON.stringify(file);
const suite = (dataset, methods, more = '') =>
  `{ targets: [target], datasets: [${dataset}], methods: [${methods}]${more} }`;
writeFileSync(
  join(folder, 'models.yaml'),
  `models:
  - { id: base, role: base, bucket: bench, file: ${path} }
  - { id: target, role: post-trained, base: base, bucket: bench, file: ${path} }
suites:
  letters: ${suite('long', 'vanilla, daca')}
  short: ${suite('brief', 'vanilla, daca')}
  texts: ${suite('whole', 'vanilla, daca')}
  free: ${suite('brief', 'vanilla, daca, elicitation-ensemble', ', elicitation: { structured: text, maxTokens: 48 }')}
`,
);

function dataset(name, length, { options, template, mode }) {
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `${name}-${n}`, question: words(length), options, answer: 'A' }),
  );
  writeFileSync(join(folder, `datasets/${name}.jsonl`), `${lines.join('\n')}\n`);
  const fields = '{ id: id, options: options, label: { field: answer, as: letter } }';
  writeFileSync(
    join(folder, `datasets/${name}.yaml`),
    `source: ${name}.jsonl\nfields: ${fields}\nprompt: { template: "${template}" }\nscoring: { minimumOptionMass: 0${mode} }\n`,
  );
}

function words(length) {
  return Array.from({ length }, () => WORDS[random() % WORDS.length]).join(' ');
}

function random() {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return seed >>> 8;
}
