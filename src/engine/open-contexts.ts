import { SupportCalError } from '../errors/supportcal-error.js';
import type { EvaluationContext, LoadedModel } from './protocol/backend.js';
import { contextSizeFor } from './protocol/context-size.js';
import type { WorkerPlan } from './protocol/protocol.js';

/**
 * Opens the contexts of a model. The size of a sequence is fixed by models.yaml or by the longest prompt (one cell
 * more, since a full sequence would shift), never by free memory; `cells` limits the sequences, and when memory does
 * not suffice they are halved. Fails with `model-load` and the size that was asked for when even one sequence does not
 * fit.
 */
export async function openContexts(
  model: LoadedModel,
  plan: WorkerPlan,
  longest: number,
): Promise<[EvaluationContext, ...EvaluationContext[]]> {
  const { contextSize, sequences: planned } = contextSizeFor(plan, longest, model.info.trainContextSize);
  for (let sequences = planned; ; sequences = Math.floor(sequences / 2)) {
    const request = {
      contextSize,
      sequences,
      batchSize: plan.batchSize,
      threads: plan.threads,
      flashAttention: plan.flashAttention,
      ...(plan.lora !== undefined && { lora: plan.lora }),
      ...(plan.kvType !== undefined && { kvType: plan.kvType }),
    };
    const first = await tryOpen(model, request);
    if (typeof first !== 'string') return [first, ...(await openMore(model, request, plan.contexts - 1))];
    if (sequences <= 1) {
      throw new SupportCalError(
        'model-load',
        `no context of ${contextSize} tokens can be created, not even for one sequence: ${first}`,
      );
    }
  }
}

type Request = Parameters<LoadedModel['openContext']>[0];

async function tryOpen(model: LoadedModel, request: Request): Promise<EvaluationContext | string> {
  try {
    return await model.openContext(request);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Further contexts only serve speed: one that does not fit is left out. */
async function openMore(model: LoadedModel, request: Request, count: number): Promise<EvaluationContext[]> {
  const more: EvaluationContext[] = [];
  for (let i = 0; i < count; i++) {
    const context = await tryOpen(model, request);
    if (typeof context === 'string') break;
    more.push(context);
  }
  return more;
}
