import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** A module of our own to start in another process, and the Node arguments that it needs. */
export interface StartableModule {
  readonly path: string;
  readonly execArgv: string[];
}

/**
 * The module `name` beside the one whose `import.meta.url` is given: its source (with tsx) when that one runs from
 * source, else compiled, whatever runs the parent.
 */
export function startableModule(beside: string, name: string): StartableModule {
  const source = isSource(beside);
  return {
    path: fileURLToPath(new URL(`./${name}${source ? '.ts' : '.js'}`, beside)),
    execArgv: source ? ['--import', installed('tsx')] : [],
  };
}

/**
 * Starts the module `name` in a thread. Node 20 ignores `--import` there, so that a source needs a line that loads tsx
 * first, which takes most of a second; `joinedThread` takes its place where there is one.
 */
export function startThread(beside: string, name: string, options: WorkerOptions): Worker {
  const joined = joinedThread(name);
  if (joined !== null) return new Worker(joined, options);
  const { path } = startableModule(beside, name);
  if (!isSource(beside)) return new Worker(path, options);
  // `require` finds the CommonJS copy, which looks for its loader in the wrong folder.
  const api = installed('tsx/esm/api').replace(/\.cjs$/, '.mjs');
  const [register, module] = [api, pathToFileURL(path).href].map((url) => JSON.stringify(url));
  return new Worker(`import(${register}).then(({ register }) => { register(); return import(${module}); })`, {
    ...options,
    eval: true,
  });
}

/** Whether a thread that runs the module `name` starts in a twentieth of a second, without tsx. */
export function startsFast(beside: string, name: string): boolean {
  return !isSource(beside) || joinedThread(name) !== null;
}

/**
 * The file that scripts/supportcal.mjs made of the module, beside the one that runs; null where the sources themselves
 * run.
 */
function joinedThread(name: string): URL | null {
  const file = new URL(`./${name}.cjs`, import.meta.url);
  return existsSync(file) ? file : null;
}

function isSource(beside: string): boolean {
  return beside.endsWith('.ts');
}

function installed(name: string): string {
  return pathToFileURL(createRequire(import.meta.url).resolve(name)).href;
}
