import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** A module of our own to start in another process, and the Node arguments that it needs. */
export interface StartableModule {
  readonly path: string;
  readonly execArgv: string[];
}

/** How a process starts the module, which may import `others` by their URL: a source needs tsx, built files do not. */
export function startableModule(module: URL, others: readonly string[] = []): StartableModule {
  const built = [module, ...others.filter((url) => URL.canParse(url)).map((url) => new URL(url))].every(startsFast);
  return { path: fileURLToPath(module), execArgv: built ? [] : ['--import', installed('tsx')] };
}

/**
 * Starts the module in a thread. Node 20 ignores `--import` there, so that a source needs a line that loads tsx first,
 * which takes most of a second.
 */
export function startThread(module: URL, options: WorkerOptions): Worker {
  if (startsFast(module)) return new Worker(module, options);
  // `require` finds the CommonJS copy, which looks for its loader in the wrong folder.
  const api = installed('tsx/esm/api').replace(/\.cjs$/, '.mjs');
  const [register, source] = [api, module.href].map((url) => JSON.stringify(url));
  return new Worker(`import(${register}).then(({ register }) => { register(); return import(${source}); })`, {
    ...options,
    eval: true,
  });
}

/** Whether the module is built, so that a thread that runs it starts in a twentieth of a second. */
export function startsFast(module: URL): boolean {
  return !module.pathname.endsWith('.ts');
}

function installed(name: string): string {
  return pathToFileURL(createRequire(import.meta.url).resolve(name)).href;
}
