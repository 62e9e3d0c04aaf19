import type { Device } from '../../contract/device.js';

export interface SlotMachine {
  readonly device: Device;
  /** Physical cores to use. */
  readonly cores: number;
  readonly memoryBytes: number;
}

/** Models that run under the same settings, `slots` of them at a time; stages run one after the other. */
export interface SlotStage {
  readonly models: readonly string[];
  readonly slots: number;
  readonly threads: number;
  readonly sequences: number;
  /** Most tokens that the sequences of a context may hold together. */
  readonly cells?: number;
  readonly contexts: number;
  readonly batchSize: number;
}

/** A model up to this size is small: with one thread it is bound by arithmetic, not by reading its weights. */
const SMALL_BYTES = 512 * 2 ** 20;

/** Up to this size one decode is so short that threads spend it waiting for each other. */
const TINY_BYTES = 64 * 2 ** 20;

/**
 * How many child processes run at a time and what each gets.
 *
 * GPU: one child with 64 sequences (fewer for long prompts: 65,536 tokens in all, which is 8 GiB of cache for an 8B
 * model of Llama 3's shape), batches of 2048 tokens and two contexts, one of which decodes while the other's
 * logits are read (one context on Vulkan, where the library serialises decodes anyway).
 * CPU: small models (at most 512 MiB, and a quarter of memory when one runs per core) go first, one child per core
 * with one thread each; cores are shared out evenly when there are fewer models than cores, except among tiny
 * models (at most 64 MiB), which a second thread only slows down. Every other model gets one child with all cores,
 * after them. Settings depend on models and machine only, never on free memory.
 */
export function planSlots(
  models: readonly { readonly id: string; readonly bytes: number }[],
  machine: SlotMachine,
): SlotStage[] {
  const cores = Math.max(1, Math.floor(machine.cores));
  if (machine.device !== 'cpu') {
    const contexts = machine.device === 'vulkan' ? 1 : 2;
    return stage(models, { slots: 1, threads: cores, sequences: 64, cells: 65_536, contexts, batchSize: 2048 });
  }
  const limit = Math.min(SMALL_BYTES, machine.memoryBytes / (4 * cores));
  const small = models.filter((model) => model.bytes <= limit);
  const large = models.filter((model) => model.bytes > limit);
  const slots = Math.max(1, Math.min(cores, small.length));
  const tiny = small.every((model) => model.bytes <= TINY_BYTES);
  const threads = tiny ? 1 : Math.max(1, Math.floor(cores / slots));
  return [
    ...stage(small, { slots, threads, sequences: 16, contexts: 1, batchSize: 2048 }),
    ...stage(large, { slots: 1, threads: cores, sequences: 8, contexts: 1, batchSize: 1024 }),
  ];
}

/** The largest models first, so that the slots end at about the same time. */
function stage(models: readonly { id: string; bytes: number }[], settings: Omit<SlotStage, 'models'>): SlotStage[] {
  if (models.length === 0) return [];
  const order = [...models].sort((a, b) => b.bytes - a.bytes || (a.id < b.id ? -1 : 1));
  return [{ models: order.map((model) => model.id), ...settings }];
}
