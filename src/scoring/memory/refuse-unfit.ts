import { nameWithFile } from '../../config/source-kind.js';
import type { ModelJob } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { type FreeMemory, ramState } from '../device/free-memory.js';
import { inspectChild } from '../process/inspect-child.js';
import { memoryNumbers, memoryPlan } from './memory-plan.js';

/** Beside twice its file no model needs more than this for one sequence: then there is nothing to work out. */
const AMPLE = 2 ** 30;

/**
 * Why a model cannot be loaded into the memory that is free, with the numbers, for one context with one sequence (with
 * more than fit, sequences are halved later); null when it fits or nobody can tell. Only where memory is short is the
 * file looked into, without its weights, in a process that ends before the model is loaded.
 */
export async function refuseUnfit(
  job: ModelJob,
  plan: WorkerPlan,
  freeMemory: FreeMemory,
  backendModule: string,
): Promise<string | null> {
  if (job.model.scoring?.memoryCheck === 'off') return null;
  const onDevice = await freeMemory();
  if (onDevice === null) return null;
  // With some layers on the GPU the rest is in main memory.
  const free = plan.device !== 'cpu' && typeof plan.gpuLayers === 'number' ? onDevice + ramState().free : onDevice;
  if (free >= 2 * job.place.bytes + AMPLE) return null;
  const child = inspectChild(backendModule);
  try {
    const alone = { ...plan, sequences: 1, contexts: 1 };
    const sets = job.jobs.map(({ prompts }, id) => ({ id, prompts }));
    const jobs = sets.map(({ id }) => id);
    const end = await child.inspect({ plan: alone, sets, jobs, detail: 'nothing' }, () => {});
    // What is wrong with the file is better told by the attempt to load it.
    if (end.kind !== 'inspected') return null;
    const needs = memoryPlan(end.model.memory, job.place.bytes, free);
    if (needs.fits) return null;
    return (
      `${nameWithFile(job.model)} does not fit into memory: for one sequence of ${end.model.contextSize} tokens ` +
      `${memoryNumbers(needs, plan.device)}; use a smaller file, or set scoring: { memoryCheck: off } to try it`
    );
  } finally {
    await child.end();
  }
}
