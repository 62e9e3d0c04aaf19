import { totalmem } from 'node:os';
import type { ModelJob, ScoringSettings } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { flashAttentionOf } from '../device/flash-attention.js';
import type { SlotStage } from './plan-slots.js';

export function machineOf({ backend, cores }: Pick<ScoringSettings, 'backend' | 'cores'>) {
  return { backend, cores, memoryBytes: totalmem() };
}

/** Settings of models.yaml come before those of the slot. */
export function workerPlan(
  job: Pick<ModelJob, 'model' | 'modelPath' | 'lora'>,
  stage: SlotStage,
  settings: Pick<ScoringSettings, 'backend'>,
): WorkerPlan {
  const own = job.model.scoring ?? {};
  return {
    model: job.model.id,
    modelPath: job.modelPath,
    backend: settings.backend,
    prompt: job.model.prompt,
    ...(job.model.assistantPrefix !== undefined && { assistantPrefix: job.model.assistantPrefix }),
    bos: own.bos ?? 'auto',
    ...(own.preTokenizer !== undefined && { preTokenizer: own.preTokenizer }),
    ...(job.lora !== undefined && { lora: job.lora }),
    ...(own.kvType !== undefined && { kvType: own.kvType }),
    flashAttention: flashAttentionOf(job.model.scoring, settings.backend),
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
