import { totalmem } from 'node:os';
import type { ModelJob, ScoringSettings } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { flashAttentionOf } from '../device/flash-attention.js';
import type { SlotStage } from './plan-slots.js';

export function machineOf({ device, cores }: Pick<ScoringSettings, 'device' | 'cores'>) {
  return { device, cores, memoryBytes: totalmem() };
}

/** Settings of models.yaml come before those of the slot. */
export function workerPlan(
  job: Pick<ModelJob, 'model' | 'modelPath' | 'lora'>,
  stage: SlotStage,
  settings: Pick<ScoringSettings, 'device'>,
): WorkerPlan {
  const own = job.model.scoring ?? {};
  return {
    model: job.model.id,
    modelPath: job.modelPath,
    device: settings.device,
    prompt: job.model.prompt,
    ...(job.model.assistantPrefix !== undefined && { assistantPrefix: job.model.assistantPrefix }),
    bos: own.bos ?? 'auto',
    ...(own.preTokenizer !== undefined && { preTokenizer: own.preTokenizer }),
    ...(job.lora !== undefined && { lora: job.lora }),
    ...(own.kvType !== undefined && { kvType: own.kvType }),
    flashAttention: flashAttentionOf(job.model.scoring, settings.device),
    ...(own.gpuLayers !== undefined && { gpuLayers: own.gpuLayers }),
    contextSize: own.contextSize ?? null,
    sequences: own.sequences ?? stage.sequences,
    ...(own.sequences === undefined && stage.cells !== undefined && { cells: stage.cells }),
    contexts: stage.contexts,
    batchSize: own.batchSize ?? stage.batchSize,
    threads: own.threads ?? stage.threads,
    ...(own.maxFailedShare !== undefined && { maxFailedShare: own.maxFailedShare }),
  };
}
