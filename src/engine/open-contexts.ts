import { SupportCalError } from '../errors/supportcal-error.js';
import type { EvaluationContext, LoadedModel } from './protocol/backend.js';
import { contextSizeFor } from './protocol/context-size.js';
import type { WorkerPlan } from './protocol/protocol.js';

/**
 * Opens the contexts of a model. The size of a sequence is fixed by models.yaml or by the longest prompt (one cell
 * more, since a full sequence would shift), never by free memory; `cells` limits the sequences, and when memory does
 * not suffice they are halved, unless their number decides the numbers of a prompt: rows of two shapes never get under
 * one key. Fails with `model-load` and the size that was asked for when memory does not suffice.
 */
export async function openContexts(
  model: LoadedModel,
  plan: WorkerPlan,
  longest: number,
): Promise<[EvaluationContext, ...EvaluationContext[]]> {
  const { contextSize, sequences: planned } = contextSizeFor(plan, longest, model.info.trainContextSize);
  const { company = 'always' } = plan;
  const inTurn = company === 'never' || (company === 'if-exact' && model.info.exactInCompany !== true);
  for (let sequences = inTurn && !companyIsFree(model, plan) ? 1 : planned; ; sequences = Math.floor(sequences / 2)) {
    const size = { contextSize, sequences, ...(inTurn && { inTurn: plan.sequences }), batchSize: plan.batchSize };
    const request = requestFor(plan, size);
    const first = await tryOpen(model, request);
    if (typeof first !== 'string') {
      const [asDeclared, more] = [withinDeclared(plan), await openMore(model, request, plan.contexts - 1)];
      return [asDeclared(first), ...more.map(asDeclared)];
    }
    if (company === 'always' && sequences > 1) {
      throw new SupportCalError(
        'model-load',
        `no context of ${sequences} x ${contextSize} tokens can be created: ${first}; fewer sequences give slightly ` +
          `other numbers, so set scoring: { sequences: ${sequences >> 1} } in models.yaml, whose rows are kept apart`,
      );
    }
    if (sequences <= 1) {
      throw new SupportCalError(
        'model-load',
        `no context of ${contextSize} tokens can be created, not even for one sequence: ${first}`,
      );
    }
  }
}

/** Whether short prompts may share a pass without a trace in their numbers. */
function companyIsFree({ info }: LoadedModel, { flashAttention, lora = [], kvType }: WorkerPlan): boolean {
  return info.exactAlone === true && flashAttention === 'off' && lora.length === 0 && kvType === undefined;
}

/**
 * llama.cpp rounds the size of a context up (64 to 256); what models.yaml declares holds all the same. On a card a pass
 * of few tokens takes as long as one of many.
 */
function withinDeclared({ contextSize, device }: Pick<WorkerPlan, 'contextSize' | 'device'>) {
  return (context: EvaluationContext): EvaluationContext => {
    const { tokensPerSequence: given } = context;
    return { ...context, fills: device !== 'cpu', tokensPerSequence: Math.min(given, contextSize ?? given) };
  };
}

/** What prompts may differ by, alone and in a batch, where llama.cpp gives them other kernels there. */
const BATCH_TOLERANCE = 0.1;

/**
 * The context that a batch is compared with: one of the contexts themselves where the numbers of a prompt must be the
 * same in every company, to the last bit; else one of a single sequence. Without memory for that the comparison is as
 * weak as a prompt that keeps itself company.
 */
export async function openReference(
  model: LoadedModel,
  plan: WorkerPlan,
  contexts: readonly [EvaluationContext, ...EvaluationContext[]],
): Promise<{ readonly context: EvaluationContext; readonly tolerance: number }> {
  const [first] = contexts;
  const last = contexts.at(-1) ?? first;
  const exact = first.inTurn === true || (plan.device === 'cpu' && model.info.exactInCompany === true);
  if (exact) return { context: last, tolerance: 0 };
  if (first.sequences === 1) return { context: last, tolerance: BATCH_TOLERANCE };
  const contextSize = first.tokensPerSequence;
  const opened = await tryOpen(model, requestFor(plan, { contextSize, sequences: 1, batchSize: first.batchSize }));
  return { context: typeof opened === 'string' ? first : opened, tolerance: BATCH_TOLERANCE };
}

type Request = Parameters<LoadedModel['openContext']>[0];
type Size = Pick<Request, 'contextSize' | 'sequences' | 'inTurn' | 'batchSize'>;

function requestFor({ threads, flashAttention, lora, kvType }: WorkerPlan, size: Size): Request {
  return {
    ...size,
    threads,
    flashAttention,
    ...(lora !== undefined && { lora }),
    ...(kvType !== undefined && { kvType }),
  };
}

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
