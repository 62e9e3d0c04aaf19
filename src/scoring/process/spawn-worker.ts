import { type ChildProcess, fork } from 'node:child_process';
import { withoutSecrets } from '../../errors/redact-secrets.js';
import { startableModule } from '../../files/startable-module.js';

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

export const LLAMA_BACKEND = new URL(`../../engine/llama/llama-backend${extension}`, import.meta.url).href;

/** glibc settings that keep the sampler's 12 bytes x vocabulary per call off the page-fault path (design 4.5). */
const MALLOC = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: '2000000000',
  MALLOC_TOP_PAD_: '268435456',
};

/** Entries of child processes, by their path under `src/engine`. */
export type EngineEntry = 'worker' | 'inspect/inspect-worker' | 'llama/probe';

/** Starts the process that will hold one model. `backendModule` is the URL of a module that exports `backend`. */
export function spawnWorker(backendModule: string, gpu: boolean): ChildProcess {
  return forkEngine('worker', [backendModule], gpu && process.platform === 'linux' ? MALLOC : {});
}

/**
 * Forks an entry of the engine, from sources (with tsx) or compiled, as this module is. Its standard output and error
 * are pipes: lines of native libraries never reach our standard output.
 */
export function forkEngine(
  entry: EngineEntry,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const { path, execArgv } = startableModule(import.meta.url, `../../engine/${entry}`);
  return fork(path, [...args], {
    execArgv,
    env: { ...withoutSecrets(process.env), ...env },
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}
