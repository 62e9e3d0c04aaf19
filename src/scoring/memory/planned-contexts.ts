import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import { contextSizeFor } from '../../engine/protocol/context-size.js';
import { workerPlan } from './worker-plan.js';

/** The contexts that scoring would open for a model whose file is not here. */
export interface PlannedContexts {
  readonly contexts: number;
  /** How many sequences one context has. */
  readonly sequences: number;
  readonly contextSize: number;
  readonly batchSize: number;
}

/** Follows from the size of the file in bytes, the device and the tokens of the longest prompt. */
export function plannedContexts(model: ModelSpec, bytes: number, device: Device, longest: number): PlannedContexts {
  const { contexts, batchSize, ...plan } = workerPlan(
    { model, place: { kind: 'gguf', path: '', bytes } },
    { threads: 1 },
    device,
  );
  const size = contextSizeFor({ contexts, batchSize, ...plan }, longest, Number.POSITIVE_INFINITY);
  return { contexts, batchSize, ...size };
}
