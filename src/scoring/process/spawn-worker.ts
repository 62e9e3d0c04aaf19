import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { FromInspector } from '../../engine/inspect/inspect-model.js';
import { WORKED_VARIABLE } from '../../engine/library/skip-trial.js';
import type { FromWorker } from '../../engine/protocol/protocol.js';
import { withoutSecrets } from '../../errors/redact-secrets.js';
import { ownModule } from '../../files/own-files.js';
import { startableModule } from '../../files/startable-module.js';
import { buildVariables, STRAY_OPTION } from '../../library/chosen-build.js';

export const LLAMA_BACKEND = ownModule('engine/llama/llama-backend').href;

/** glibc settings that keep the sampler's 12 bytes x vocabulary per call off the page-fault path (design 4.5). */
const MALLOC = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: '2000000000',
  MALLOC_TOP_PAD_: '268435456',
};

/** Every context decodes in a thread of libuv's pool, of which there are four unless this says otherwise. */
function poolSize(): string {
  return process.env.UV_THREADPOOL_SIZE ?? String(Math.max(4, Math.min(1024, 2 * availableParallelism() + 2)));
}

/**
 * Starts the process that will hold one model. `backendModule` is the URL of a module that exports `backend`.
 *
 * @param visible the variables that say which cards it may see
 */
export function spawnWorker(backendModule: string, gpu: boolean, visible: Record<string, string> = {}): ChildProcess {
  const malloc = gpu && process.platform === 'linux' ? MALLOC : {};
  const environment = { ...malloc, ...visible, UV_THREADPOOL_SIZE: poolSize() };
  return forkModule(ownModule('engine/worker'), [backendModule], environment);
}

/**
 * Forks a module of our own, as a source (with tsx) or built. Its standard output and error are pipes:
 * lines of native libraries never reach our standard output.
 */
export function forkModule(module: URL, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const { path, execArgv } = startableModule(module, args);
  const child = fork(path, [...args], {
    execArgv,
    env: { ...inherited(), ...buildVariables(), [WORKED_VARIABLE]: [...worked].join(','), ...env },
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  if (args.includes(LLAMA_BACKEND)) child.on('message', noteDevice);
  return child;
}

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(withoutSecrets(process.env)).filter(([name]) => !STRAY_OPTION.test(name)));
}

/**
 * Devices on which a child of this process, or of the process that started it, has loaded a file: their library
 * needs no trial in the next child.
 */
const worked = new Set<string>((process.env[WORKED_VARIABLE] ?? '').split(',').filter((name) => name !== ''));

function noteDevice(message: FromWorker | FromInspector): void {
  if (message.kind === 'loaded' && message.facts.backend !== 'endpoint') worked.add(message.facts.backend);
  // A look into a file needs no device, and takes the processor.
  if (message.kind === 'inspected') worked.add('cpu');
}
