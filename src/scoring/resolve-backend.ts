import { probeBackend } from '../engine/probe-backend.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { mayHaveGpu, readProbeMemory, writeProbeMemory } from './backend-memory.js';
import type { GpuChoice, ModelFacts } from './contract.js';

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
  if (choice === 'auto' && !(options.mayHaveGpu ?? mayHaveGpu)()) return 'cpu';
  const tried: string[] = [];
  for (const backend of candidates(choice)) {
    const result = await (options.probe ?? probeBackend)(backend, options.modelPath);
    if (result.ok) return remember(backend);
    tried.push(`${backend}: ${result.reason}`);
  }
  if (choice === 'auto') return remember('cpu');
  throw new SupportCalError(
    'usage',
    `--gpu ${choice} does not work on this machine (tried ${tried.join('; ')}). Use --gpu off for the CPU, or auto`,
  );

  function remember(backend: ModelFacts['backend']): ModelFacts['backend'] {
    if (memoryFile !== undefined) writeProbeMemory(memoryFile, choice, backend);
    return backend;
  }
}

function candidates(choice: Exclude<GpuChoice, 'off'>): GpuBackend[] {
  if (choice !== 'auto') return [choice];
  return process.platform === 'darwin' ? ['metal'] : ['cuda', 'vulkan'];
}
