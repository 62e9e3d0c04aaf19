import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { wordProblems } from '../test/pipeline/demo-workspace.js';
import { arrowFiles } from '../test/pipeline/score/shared-runs.js';

/**
 * How much faster several processes fill one cache than one does, with a scorer that sleeps in place of a model:
 * nothing but the sharing is measured. Times run from the moment when every process has its modules, to the end of the
 * last one.
 *
 *   node --import tsx bench/shared-work.ts [rows 1200] [milliseconds a batch of 8 rows 400] [processes 1,3,8]
 */
const [rows = '1200', pause = '400', counts = '1,3,8'] = process.argv.slice(2);
const MODELS = ['tern-base', 'heron-base', 'dunlin-base'];
const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-shared-'));

function project(): void {
  const models = MODELS.map(
    (id) => `  - {id: ${id}, role: base, file: ${path.join(root, 'models/demo', `${id}.gguf`)}}`,
  );
  const target = `  - {id: target, role: post-trained, base: ${MODELS[0]}, file: ${path.join(root, 'models/demo/tern-dpo.gguf')}}`;
  writeFileSync(
    path.join(folder, 'models.yaml'),
    ['models:', ...models, target, 'suites:', '  s: {datasets: [quiz], seeds: [1], combinationSizes: [1]}', ''].join(
      '\n',
    ),
  );
  const yaml = `source: quiz.jsonl
fields: {id: id, options: options, label: {field: answer, as: letter}}
prompt: {template: "Question: {question}\\n{options}\\nAnswer:"}
`;
  const lines = wordProblems(Number(rows)).map((row) => `${JSON.stringify(row)}\n`);
  writeFileSync(path.join(folder, 'quiz.jsonl'), lines.join(''));
  writeFileSync(path.join(folder, 'quiz.yaml'), yaml);
}

function child(cache: string): ChildProcess {
  const places = { models: path.join(folder, 'models.yaml'), datasets: folder, cache, out: path.join(folder, 'out') };
  const options = JSON.stringify({ suite: 's', ...places, gpu: 'off', refresh: false, allowOutside: true });
  const script = path.join(root, 'bench/shared-work-child.ts');
  const started = spawn(process.execPath, ['--import', 'tsx', script, options, pause], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return started;
}

const nextLine = (from: ChildProcess) =>
  new Promise<string>((resolve) => from.stdout?.once('data', (data) => resolve(String(data).trim())));

async function timed(processes: number): Promise<{ seconds: number; rows: number[]; files: Record<string, string> }> {
  const cache = path.join(folder, `cache-${processes}`);
  const children = Array.from({ length: processes }, () => child(cache));
  await Promise.all(children.map(nextLine));
  const ends = children.map(nextLine);
  const start = performance.now();
  for (const each of children) each.stdin?.write('go\n');
  const scored = (await Promise.all(ends)).map(Number);
  return { seconds: (performance.now() - start) / 1000, rows: scored, files: arrowFiles(cache) };
}

project();
try {
  let alone: Awaited<ReturnType<typeof timed>> | null = null;
  process.stdout.write('| processes | s | times one | rows scored by each | bytes |\n');
  process.stdout.write('|---:|---:|---:|---|---|\n');
  for (const count of counts.split(',').map(Number)) {
    const run = await timed(count);
    alone ??= run;
    const bytes = JSON.stringify(run.files) === JSON.stringify(alone.files) ? 'equal' : 'DIFFERENT';
    const speed = (alone.seconds / run.seconds).toFixed(2);
    process.stdout.write(`| ${count} | ${run.seconds.toFixed(1)} | ${speed} | ${run.rows.join(', ')} | ${bytes} |\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
