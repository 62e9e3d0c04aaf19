import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A run that takes longer is a deadlock. */
const HANGS_AFTER = 180_000;

export interface RunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly milliseconds: number;
}

export interface RunControl {
  /** Environment of the run, such as that of kill-at-step.mjs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Kills the process group after so many milliseconds. */
  readonly killAfter?: number;
}

export type DemoProject = ReturnType<typeof demoProject>;

/** A project in a temporary folder: three demo models on the first `limit` rows of two demo data sets. */
export function demoProject(limit: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-durability-'));
  const model = (id: string, name: string, more = '') =>
    `  - {id: ${id}, file: ${JSON.stringify(path.join(root, 'models/demo', `${name}.gguf`))}, ${more}}\n`;
  writeFileSync(
    path.join(folder, 'models.yaml'),
    `models:\n${model('base', 'tern-base', 'role: base')}${model('other', 'heron-base', 'role: base')}${model('target', 'tern-dpo', 'role: post-trained, base: base')}` +
      'suites:\n  s: {datasets: [demo-facts, demo-sentiment], methods: [vanilla, daca, supportcal], combinationSizes: [1]}\n',
  );
  const cacheOf = (name: string) => path.join(folder, name);
  const flags = (cache: string) => [
    ...[
      'score',
      '--suite',
      's',
      '--models',
      path.join(folder, 'models.yaml'),
      '--datasets',
      path.join(root, 'datasets'),
    ],
    ...[
      '--cache',
      cacheOf(cache),
      '--out',
      path.join(folder, `${cache}-out`),
      '--gpu',
      'off',
      '--limit',
      String(limit),
    ],
  ];
  return { folder, cacheOf, run: (cache: string, control: RunControl = {}) => run(flags(cache), control) };
}

/** Runs the compiled tool as the leader of a process group of its own. */
function run(args: readonly string[], { env = {}, killAfter }: RunControl): Promise<RunEnd> {
  const main = path.join(root, 'dist/main.js');
  if (!existsSync(main)) throw new Error('run `npm run build` first');
  const preload = ['--import', path.join(import.meta.dirname, 'kill-at-step.mjs')];
  const started = Date.now();
  const child = spawn(process.execPath, [...preload, main, ...args], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const end = (why: string) => () => {
    output.stderr += why;
    process.kill(-child.pid!, 'SIGKILL');
  };
  const timers = [setTimeout(end('it hung and was ended'), HANGS_AFTER)];
  if (killAfter !== undefined) timers.push(setTimeout(end(''), killAfter));
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ code, signal, ...output, milliseconds: Date.now() - started });
    });
  });
}

/** Rows whose evaluation a worker began, by model, as kill-at-step.mjs wrote them down. */
export function evaluatedRows(file: string): Map<string, number> {
  const rows = new Map<string, number>();
  if (!existsSync(file)) return rows;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [model, count] = line.split(' ');
    rows.set(model!, (rows.get(model!) ?? 0) + Number(count));
  }
  return rows;
}
