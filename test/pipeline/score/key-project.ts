import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { wordProblems } from '../demo-workspace.js';
import { demoModels, type Patch } from './key-cases.js';

/** Patches of each of the files, one after the other. */
export interface KeyPatches {
  readonly target?: readonly Patch[];
  readonly dataset?: readonly Patch[];
  readonly suite?: readonly Patch[];
}

/** Writes models.yaml, two data sets and their rows; what is not patched is the same for every case. */
export function writeKeyProject({ target, dataset, suite }: KeyPatches): string {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  const json = (name: string, value: unknown) => write(name, JSON.stringify(value));
  const at = (file: string) => path.join(demoModels, file);
  const merged = merge({ id: 'target', role: 'post-trained', base: 'base', file: 'tern-dpo.gguf' }, target);
  const lora = merged.lora === undefined ? {} : { lora: placed(folder, merged.lora) };
  json('models.yaml', {
    models: [
      { id: 'base', role: 'base', file: at('tern-base.gguf') },
      { id: 'reference', role: 'base', file: at('heron-base.gguf') },
      { id: 'large', role: 'base', bucket: 'large', file: at('heron-base.gguf') },
      { ...merged, ...lora, file: at(String(merged.file)) },
      { id: 'second', role: 'post-trained', base: 'base', file: at('heron-rl.gguf') },
    ],
    suites: {
      s: merge({ datasets: [merge({ id: 'quiz' }, dataset).id] }, suite),
      other: { datasets: ['quiz'], bins: 3 },
    },
  });
  const base = {
    source: 'quiz.jsonl',
    fields: { id: 'id', options: 'options', label: { field: 'answer', as: 'letter' } },
    prompt: {
      template: 'Question: {question}\n{options}\nAnswer:',
      variants: { short: { template: '{question} {options}' } },
    },
  };
  json('quiz.yaml', merge(base, dataset));
  json('second.yaml', base);
  const all = wordProblems(12).map((row, n) => withExtras(row, n));
  const lines = (list: readonly unknown[]) => list.map((row) => `${JSON.stringify(row)}\n`).join('');
  write('quiz.jsonl', lines(all));
  json('nested.json', { data: all, more: all.map((row) => ({ ...row, question: 'Really?' })) });
  write('other.jsonl', lines(all.map((row) => ({ ...row, id: `x${row.id}`, question: `${row.question} Really?` }))));
  for (const [name, separator] of [
    ['quiz.csv', ','],
    ['semicolons.csv', ';'],
  ] as const) {
    write(
      name,
      [['id', 'question', 'a', 'b', 'answer'], ...all.map((row) => [row.id, 'What?', row.a, row.b, 'A'])]
        .map((row) => `${row.join(separator)}\n`)
        .join(''),
    );
  }
  const cells = all.map((row) => [row.id, '"What?"', row.a, row.b, 'A']);
  write('bare.csv', cells.map((row) => `${row.join(',')}\n`).join(''));
  write('quoted.csv', [['id', 'question', 'a', 'b', 'answer'], ...cells].map((row) => `${row.join(',')}\n`).join(''));
  const column = (name: string, value: (row: (typeof all)[number]) => string) =>
    write(name, all.map((row) => `${value(row)}\n`).join(''));
  column('q.txt', (row) => row.question);
  column('q2.txt', (row) => `${row.question} Really?`);
  column('id.txt', (row) => row.id);
  column('a.txt', () => 'A');
  return folder;
}

/** Adds the content under other names, so that a field of the YAML can point at another one. */
function withExtras(row: ReturnType<typeof wordProblems>[number], n: number) {
  const shuffled = [...row.options].reverse();
  // As a letter "A" is the first option, as a text the last one of `letters`.
  const letters = ['D', 'C', 'B', 'A'];
  return {
    ...row,
    question: `${row.question} &amp; why?`,
    number: `n${n}`,
    middle: 1 + (n % 2),
    always: 'A',
    letters,
    letters2: [...letters].reverse(),
    lettered: row.options.map((option, k) => `${'ABCD'[k]}. ${option}`),
    truth: { [row.options[0]!]: 1, [row.options[1]!]: 0, [row.options[2]!]: 0 },
    truth2: { [row.options[0]!]: 0, [row.options[1]!]: 1, [row.options[2]!]: 0 },
    twins: n === 3 ? ['1', '1', '2', '3'] : row.options,
    empties: n === 3 ? ['', '1', '2', '3'] : row.options,
    several: n === 3 ? ['A', 'B'] : 'A',
    mapped: Object.fromEntries(row.options.map((option, k) => ['ABCD'[k], option])),
    mapped2: Object.fromEntries(shuffled.map((option, k) => ['ABCD'[k], option])),
    sometimes: n === 3 ? null : 'A',
    shuffled,
    a: row.options[0]!,
    b: row.options[1]!,
    rest: `${row.options[2]};${row.options[3]}`,
  };
}

function placed(folder: string, lora: unknown): unknown {
  const one = (name: string) => {
    const bytes = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/lora/tern-q.gguf'));
    if (name !== 'adapter.gguf') bytes[bytes.length - 1]! ^= 1;
    writeFileSync(path.join(folder, name), bytes);
    return name;
  };
  if (typeof lora === 'string') return one(lora);
  return (lora as { file: string }[]).map((each) => ({ ...each, file: one(each.file) }));
}

/** `undefined` in the patch removes a field. */
export function merge(base: Patch, patches: readonly Patch[] = []): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of patches.flatMap((patch) => Object.entries(patch))) {
    if (value === undefined) delete merged[key];
    else if (isMap(value) && isMap(merged[key])) merged[key] = merge(merged[key], [value]);
    else merged[key] = value;
  }
  return merged;
}

function isMap(value: unknown): value is Patch {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
