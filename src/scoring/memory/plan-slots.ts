import type { Device } from '../../contract/device.js';
import { SMALL_BYTES } from './evaluation-shape.js';

export interface SlotMachine {
  readonly device: Device;
  /** Physical cores to use. */
  readonly cores: number;
  readonly memoryBytes: number;
}

/** Models of which `slots` run at a time, each with so many threads; stages run one after the other. */
export interface SlotStage {
  readonly models: readonly string[];
  readonly slots: number;
  readonly threads: number;
}

/** Up to this size one decode is so short that threads spend it waiting for each other. */
const TINY_BYTES = 64 * 2 ** 20;

interface SizedModel {
  readonly id: string;
  readonly bytes: number;
}

/**
 * Plans how many child processes run at a time and how many threads each gets. What a model is evaluated in is no
 * matter of this plan (`evaluationShape`).
 *
 * GPU: one child. CPU: small models (at most 512 MiB) of which one per core takes no more than a quarter of memory go
 * first, one child per core with one thread each; cores are shared out evenly when there are fewer models than cores,
 * except among tiny models (at most 64 MiB), which a second thread only slows down. Every other model gets one child
 * with all cores, after them. The plan depends on models and machine only, never on free memory.
 */
export function planSlots(models: readonly SizedModel[], machine: SlotMachine): SlotStage[] {
  const cores = Math.max(1, Math.floor(machine.cores));
  if (machine.device !== 'cpu') return stage(models, { slots: 1, threads: cores });
  const limit = Math.min(SMALL_BYTES, machine.memoryBytes / (4 * cores));
  const beside = models.filter((model) => model.bytes <= limit);
  const alone = models.filter((model) => model.bytes > limit);
  const slots = Math.max(1, Math.min(cores, beside.length));
  const tiny = beside.every((model) => model.bytes <= TINY_BYTES);
  const threads = tiny ? 1 : Math.max(1, Math.floor(cores / slots));
  return [...stage(beside, { slots, threads }), ...stage(alone, { slots: 1, threads: cores })];
}

/** The largest models first, so that the slots end at about the same time. */
function stage(models: readonly SizedModel[], settings: Omit<SlotStage, 'models'>): SlotStage[] {
  if (models.length === 0) return [];
  const order = [...models].sort((a, b) => b.bytes - a.bytes || (a.id < b.id ? -1 : 1));
  return [{ models: order.map((model) => model.id), ...settings }];
}
