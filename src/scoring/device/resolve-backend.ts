import type { GpuChoice, ModelFacts } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { mayHaveGpu, readProbeMemory, readProbeReason, writeProbeMemory } from './backend-memory.js';
import { probeBackend } from './probe-backend.js';

export type Probe = typeof probeBackend;

export interface ResolveBackendOptions {
  /** A small GGUF file to decode with; without it the probe ends once the backend has started and named a device. */
  readonly modelPath?: string;
  /** Replace the child process and the look at /dev in tests. */
  readonly probe?: Probe;
  readonly mayHaveGpu?: () => boolean;
}

type GpuBackend = Exclude<ModelFacts['backend'], 'cpu'>;

/**
 * Which backend really works on this machine. `auto` tries metal (macOS), or cuda then vulkan, each in a process of its
 * own since llama.cpp can abort, and ends at cpu (at once when Linux has no device file of a GPU). The answer is remembered in `memoryFile` under a fingerprint of cheap
 * facts (library, platform, drivers), so that later runs start nothing. Failures of a named backend are not remembered.
 *
 * @throws SupportCalError usage, when a backend asked for by name does not work; the message says what was tried
 */
export async function resolveBackend(
  choice: GpuChoice,
  memoryFile?: string,
  options: ResolveBackendOptions = {},
): Promise<ModelFacts['backend']> {
  if (choice === 'off') return 'cpu';
  const known = memoryFile === undefined ? undefined : readProbeMemory(memoryFile, choice);
  if (known !== undefined) return known;
  const { backend, reason, tried } = await tryBackends(choice, options);
  if (backend === null) {
    throw new SupportCalError(
      'usage',
      `--gpu ${choice} does not work on this machine (${reason}). Use --gpu off for the CPU, or auto`,
    );
  }
  if (memoryFile !== undefined && tried.length > 0) writeProbeMemory(memoryFile, choice, backend, reason);
  return backend;
}

/** Why `resolveBackend` answered as it did, from its memory; probes nothing. */
export function backendReason(choice: GpuChoice, memoryFile: string): string {
  if (choice === 'off') return 'asked for with --gpu off';
  if (choice === 'auto' && !mayHaveGpu()) return NO_DEVICE;
  return readProbeReason(memoryFile, choice) ?? 'not recorded';
}

const NO_DEVICE = 'this machine has no GPU device';

export interface BackendTrial {
  readonly backend: ModelFacts['backend'];
  readonly result: Awaited<ReturnType<Probe>>;
}

export interface BackendTrials {
  /** The first that works; null when one was asked for by name and does not. */
  readonly backend: ModelFacts['backend'] | null;
  readonly reason: string;
  /** In the order they were tried. */
  readonly tried: readonly BackendTrial[];
}

/** Tries the backends of a choice in their order until one works. Remembers nothing; `off` tries nothing. */
export async function tryBackends(choice: GpuChoice, options: ResolveBackendOptions = {}): Promise<BackendTrials> {
  if (choice === 'off') return { backend: 'cpu', reason: 'asked for with --gpu off', tried: [] };
  if (choice === 'auto' && !(options.mayHaveGpu ?? mayHaveGpu)()) {
    return { backend: 'cpu', reason: NO_DEVICE, tried: [] };
  }
  const tried: BackendTrial[] = [];
  for (const backend of candidates(choice)) {
    const result = await (options.probe ?? probeBackend)(backend, options.modelPath);
    tried.push({ backend, result });
    if (result.ok) return { backend, reason: `the first that works: ${result.device}`, tried };
  }
  const failures = tried.map(({ backend, result }) => `${backend}: ${result.ok ? '' : result.reason}`).join('; ');
  return choice === 'auto'
    ? { backend: 'cpu', reason: `no GPU backend works (tried ${failures})`, tried }
    : { backend: null, reason: `tried ${failures}`, tried };
}

function candidates(choice: Exclude<GpuChoice, 'off'>): GpuBackend[] {
  if (choice !== 'auto') return [choice];
  return process.platform === 'darwin' ? ['metal'] : ['cuda', 'vulkan'];
}
