import { modelTask } from '../../src/engine/model-task.js';
import type { Backend, ContextRequest, EvaluationContext } from '../../src/engine/protocol/backend.js';
import type { FromWorker, OtherOrders, WirePrompt, WorkerPlan } from '../../src/engine/protocol/protocol.js';
import { backend as stub } from './stub-backend.js';

export const PLAN: WorkerPlan = {
  model: 'm',
  modelPath: 'stub.gguf',
  device: 'cpu',
  prompt: 'raw',
  bos: 'auto',
  contextSize: null,
  sequences: 4,
  contexts: 1,
  batchSize: 2048,
  threads: 1,
  flashAttention: 'off',
};

/** One model from load to its end, every message of rows acknowledged at once. */
export async function runTask(
  jobs: readonly WirePrompt[][],
  options: {
    plan?: Partial<WorkerPlan>;
    backend?: Backend;
    onRows?: (ids: readonly string[]) => void;
    /** Prompts of every job that only fill batches up. */
    skipped?: readonly string[];
    tokeniseMeanwhile?: boolean;
    /** Jobs with the other orders of the options of a plain job. */
    otherOrders?: readonly OtherOrders[];
  } = {},
) {
  const sent: FromWorker[] = [];
  const task = modelTask(options.backend ?? stub, (message) => {
    sent.push(message);
    if (message.kind !== 'rows') return;
    options.onRows?.(message.rows.map(({ id }) => id));
    task.receive({ kind: 'ack' });
  });
  const { tokeniseMeanwhile = false } = options;
  task.receive({ kind: 'load', plan: { ...PLAN, ...options.plan }, tokeniseMeanwhile });
  const skipped = options.skipped && { skipped: options.skipped };
  for (const [job, prompts] of jobs.entries()) task.receive({ kind: 'prompts', job, prompts, ...skipped });
  task.receive({ kind: 'start', ...(options.otherOrders && { otherOrders: options.otherOrders }) });
  await task.ended;
  const rows = sent.flatMap((message) => (message.kind === 'rows' ? [...message.rows] : []));
  return { sent, rows: new Map(rows.map((row) => [row.id, row])), last: sent.at(-1)! };
}

/** The stub with other parts of its contexts. */
export function withContext(
  change: (context: EvaluationContext, request: ContextRequest) => Partial<EvaluationContext>,
): Backend {
  return {
    ...stub,
    load: async (request) => {
      const model = await stub.load(request);
      return {
        ...model,
        openContext: async (wanted) => {
          const context = await model.openContext(wanted);
          return { ...context, ...change(context, wanted) };
        },
      };
    },
  };
}
