import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunOptions } from '../src/pipeline/workspace/run-options.js';
import { wordProblems } from '../test/pipeline/demo-workspace.js';

const MODELS = ['tern-base', 'heron-base', 'dunlin-base'];
const root = path.resolve(import.meta.dirname, '..');

/** Writes a suite of four demo models and one data set of `rows` questions into a folder. */
export function writeProject(folder: string, rows: number): void {
  const file = (id: string) => path.join(root, 'models/demo', `${id}.gguf`);
  const models = MODELS.map((id) => `  - {id: ${id}, role: base, file: ${file(id)}}`);
  const target = `  - {id: target, role: post-trained, base: ${MODELS[0]}, file: ${file('tern-dpo')}}`;
  const suite = '  s: {datasets: [quiz], seeds: [1], combinationSizes: [1]}';
  writeFileSync(path.join(folder, 'models.yaml'), ['models:', ...models, target, 'suites:', suite, ''].join('\n'));
  const yaml = `source: quiz.jsonl
fields: {id: id, options: options, label: {field: answer, as: letter}}
prompt: {template: "Question: {question}\\n{options}\\nAnswer:"}
`;
  const lines = wordProblems(rows).map((row) => `${JSON.stringify(row)}\n`);
  writeFileSync(path.join(folder, 'quiz.jsonl'), lines.join(''));
  writeFileSync(path.join(folder, 'quiz.yaml'), yaml);
}

/** How a run of bench/shared-work-child.ts is told where the project and its cache are. */
export function projectOptions(folder: string, cache: string): RunOptions {
  const places = { models: path.join(folder, 'models.yaml'), datasets: folder, cache, out: path.join(folder, 'out') };
  return { suite: 's', ...places, gpu: 'off', refresh: false, allowOutside: true };
}
