import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { datasetSchema } from '../../../src/config/dataset-schema.js';
import type { Example } from '../../../src/datasets/example/example.js';
import { loadDataset } from '../../../src/datasets/load-dataset.js';
import { type FuzzTarget, WrongRow } from '../fuzz-case.js';
import { mutateText } from '../mutate-text.js';
import { mutateValue } from '../mutate-value.js';
import { simpleCsv, simpleJsonl } from '../simple-parsers.js';

const ROWS = Array.from({ length: 8 }, (_, n) => ({
  id: n % 2 === 0 ? `q${n}` : 100 + n,
  question: ['Größe, in cm?', 'a "quoted" word', 'line\nbreak', '-2+3 = ?'][n % 4],
  choices: ['yes', 'no', `maybe ${n}`, 'never'].slice(0, 2 + (n % 3)),
  answer: n === 7 ? null : n % 2,
}));
const COLUMNS = ['id', 'question', 'a', 'b', 'answer'];
const TABLE = [COLUMNS, ...ROWS.map((row, n) => [row.id, row.question, `yes ${n}`, 'no', row.answer ?? ''])];

export const jsonlRows: FuzzTarget = {
  name: 'JSON Lines rows',
  async run(random, folder) {
    const rows = random.chance(0.6) ? mutateValue(ROWS, random) : ROWS;
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const bytes = random.chance(0.5) ? mutateText(text, random) : Buffer.from(text);
    writeFileSync(path.join(folder, 'rows.jsonl'), bytes);
    const { examples } = await load(folder, 'rows.jsonl', 'choices');
    const meant = simpleJsonl(bytes).map(({ id, question, choices, answer }) =>
      meaning(id, question, typeof choices === 'string' ? JSON.parse(choices) : choices, answer),
    );
    compare(examples, meant);
    return 'accepted';
  },
};

export const csvRows: FuzzTarget = {
  name: 'CSV rows',
  async run(random, folder) {
    const table = random.chance(0.5) ? (mutateValue(TABLE, random) as unknown[][]) : TABLE;
    const text = table.map((row) => `${cells(row).map(csvCell).join(',')}\n`).join('');
    const bytes = random.chance(0.7) ? mutateText(text, random) : Buffer.from(text);
    writeFileSync(path.join(folder, 'rows.csv'), bytes);
    const { examples } = await load(folder, 'rows.csv', { columns: ['a', 'b'] });
    const [header, ...rows] = simpleCsv(bytes);
    const meant = rows.map((row) => {
      const of = (name: string) => row[header!.indexOf(name)];
      return meaning(of('id'), of('question'), [of('a'), of('b')], of('answer'));
    });
    compare(examples, meant);
    return 'accepted';
  },
};

function load(folder: string, source: string, options: unknown) {
  const label = { field: 'answer', labelBase: 0, as: 'index' };
  const yaml = datasetSchema.parse({
    source,
    fields: { id: 'id', options, label },
    prompt: { template: '{question}\n{options}\nAnswer:' },
  });
  return loadDataset({ id: 'd', file: path.join(folder, 'd.yaml'), yaml, locate: () => ({ line: 1, column: 1 }) });
}

type Meaning = readonly [id: string, question: string, options: readonly string[], label: number | null];

function meaning(id: unknown, question: unknown, options: unknown, answer: unknown): Meaning {
  const text = (value: unknown) => (value === null ? '' : String(value));
  const label = text(answer).trim() === '' || Number(answer) === -1 ? null : Number(answer);
  return [text(id), text(question), (options as unknown[]).map(text), label];
}

/** Integers beyond 2^53 are exact in the tool and rounded in the simple parser: those are not compared. */
function compare(examples: readonly Example[], meant: readonly Meaning[]): void {
  if (examples.length !== meant.length) throw new WrongRow(`${examples.length} rows for ${meant.length}`);
  const found = new Map(examples.map((example) => [example.id, example]));
  const beyond = (text: string) => /^-?\d/.test(text) && Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER;
  for (const [id, question, options, label] of meant) {
    if ([id, question, ...options].some(beyond)) continue;
    const example = found.get(id);
    const same =
      example !== undefined &&
      example.fields.question === question &&
      JSON.stringify(example.options) === JSON.stringify(options) &&
      example.label === label;
    if (!same)
      throw new WrongRow(`${JSON.stringify([id, question, options, label])} read as ${JSON.stringify(example)}`);
  }
}

function cells(row: unknown): unknown[] {
  return Array.isArray(row) ? row : [row];
}

function csvCell(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
