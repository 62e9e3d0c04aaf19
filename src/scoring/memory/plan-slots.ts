import type { Device } from '../../contract/device.js';
import { TINY_BYTES } from './evaluation-shape.js';

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
  /** Cores that one of them computes on. */
  readonly threads: number;
}

interface SizedModel {
  readonly id: string;
  readonly bytes: number;
}

/**
 * Plans how many child processes run at a time and how many threads each gets. What a model is evaluated in is no
 * matter of this plan (`evaluationShape`).
 *
 * GPU: one child. CPU: tiny models (at most 64 MiB) of which one per core takes no more than a quarter of memory go
 * first, one child per core with one thread each, since a second one only slows them down. Every other model gets one
 * child with all cores, after them: with a context a core they all work until the model's last prompt, where models
 * side by side leave a core idle as soon as the shorter one is through. The plan depends on models and machine only,
 * never on free memory.
 */
export function planSlots(models: readonly SizedModel[], machine: SlotMachine): SlotStage[] {
  const cores = Math.max(1, Math.floor(machine.cores));
  if (machine.device !== 'cpu') return stage(models, { slots: 1, threads: cores });
  const limit = Math.min(TINY_BYTES, machine.memoryBytes / (4 * cores));
  const beside = models.filter((model) => model.bytes <= limit);
  const alone = models.filter((model) => model.bytes > limit);
  const slots = Math.max(1, Math.min(cores, beside.length));
  return [...stage(beside, { slots, threads: 1 }), ...stage(alone, { slots: 1, threads: cores })];
}

/** The largest models first, so that the slots end at about the same time. */
function stage(models: readonly SizedModel[], settings: Omit<SlotStage, 'models'>): SlotStage[] {
  if (models.length === 0) return [];
  const order = [...models].sort((a, b) => b.bytes - a.bytes || (a.id < b.id ? -1 : 1));
  return [{ models: order.map((model) => model.id), ...settings }];
}
