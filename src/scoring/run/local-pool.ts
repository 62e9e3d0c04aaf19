import PQueue from 'p-queue';
import type { Runner } from '../../contract/runner.js';
import type { ModelJob, ModelOutcome, ScoringEvents } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import type { FittedPlan } from '../memory/fit-plan.js';
import { type WorkerSlot, workerSlot } from '../process/worker-slot.js';
import { runModel } from './run-model.js';

export interface PoolSettings {
  /** Child processes at a time. */
  readonly slots: number;
  /** Whether they compute on a GPU. */
  readonly gpu: boolean;
  /** URL of the module that exports the `backend` of the child processes. */
  readonly backendModule: string;
  /** Seconds that a batch may take on top of what its tokens need. */
  readonly batchSeconds: number;
  readonly signal: AbortSignal;
  /** The settings of the child that gets a model. */
  readonly planOf: (job: ModelJob) => WorkerPlan;
  /** The plan as free memory allows it. Asked for when a slot is free for the model. */
  readonly adapt: (job: ModelJob, plan: WorkerPlan) => Promise<FittedPlan>;
  /** A line that a child wrote to its own standard output or error. */
  readonly onLine: (line: string) => void;
}

/** A runner of child processes on this machine: one model per slot at a time, then the next model. */
export function localPool(settings: PoolSettings): Runner {
  const { slots: count, backendModule, gpu, onLine } = settings;
  const queue = new PQueue({ concurrency: count });
  const slots = Array.from({ length: count }, () => workerSlot(backendModule, gpu, onLine));
  const idle = [...slots];
  return {
    run: (job, events) =>
      queue.add(async () => {
        const slot = idle.pop();
        if (slot === undefined) throw new Error('the queue runs more models than there are slots');
        try {
          return await runInSlot({ job, slot, events }, settings);
        } finally {
          idle.push(slot);
        }
      }),
    async close() {
      await Promise.all(slots.map((slot) => slot.end()));
    },
  };
}

interface SlotRun {
  readonly job: ModelJob;
  readonly slot: WorkerSlot;
  readonly events: ScoringEvents;
}

async function runInSlot(run: SlotRun, { signal, batchSeconds, planOf, adapt }: PoolSettings): Promise<ModelOutcome> {
  const { job, events } = run;
  const model = job.model.id;
  if (signal.aborted) return { kind: 'failed', model, reason: 'interrupted before it was loaded' };
  events.onModelStart?.(
    model,
    job.jobs.reduce((sum, { prompts }) => sum + prompts.length, 0),
  );
  const fitted = await adapt(job, planOf(job));
  if (fitted.kind === 'fits' && fitted.note !== null) events.onLog?.('warn', fitted.note);
  const outcome: ModelOutcome =
    fitted.kind === 'refused'
      ? { ...fitted, kind: 'failed', model }
      : await runModel({ ...run, plan: fitted.plan, batchSeconds, signal });
  events.onModelEnd?.(outcome);
  return outcome;
}
