import type { ModelSpec } from '../../config/models-schema.js';
import type { ScoringSettings } from '../../contract/scorer.js';
import { contextSizeFor } from '../../engine/protocol/context-size.js';
import { planSlots } from './plan-slots.js';
import { machineOf, workerPlan } from './worker-plan.js';

/** The contexts that scoring would open for a model whose file is not here. */
export interface PlannedContexts {
  readonly contexts: number;
  /** Of one context. */
  readonly sequences: number;
  readonly contextSize: number;
  readonly batchSize: number;
}

/** By the size of the file in bytes and the tokens of the longest prompt. */
export function plannedContexts(
  model: ModelSpec,
  bytes: number,
  settings: Pick<ScoringSettings, 'device' | 'cores'>,
  longest: number,
): PlannedContexts {
  const [stage] = planSlots([{ id: model.id, bytes }], machineOf(settings));
  const { contexts, batchSize, ...plan } = workerPlan({ model, modelPath: '' }, stage!, settings);
  const size = contextSizeFor({ contexts, batchSize, ...plan }, longest, Number.POSITIVE_INFINITY);
  return { contexts, batchSize, ...size };
}
