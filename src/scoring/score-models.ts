import { setMaxListeners } from 'node:events';
import PQueue from 'p-queue';
import type { ModelJob, ModelOutcome, ScoringEvents, ScoringSettings } from '../contract/scorer.js';
import { type FreeMemory, freeMemory } from './device/free-memory.js';
import { planSlots, type SlotStage } from './memory/plan-slots.js';
import { type ReadAhead, readAhead } from './memory/read-ahead.js';
import { refuseUnfit } from './memory/refuse-unfit.js';
import { machineOf, workerPlan } from './memory/worker-plan.js';
import { LLAMA_BACKEND } from './process/spawn-worker.js';
import { type WorkerSlot, workerSlot } from './process/worker-slot.js';
import { runModel } from './run-model.js';

/** For tests: another backend in the child process, another patience, another machine. */
export interface ScoringEngine {
  /** URL of a module that exports `backend: Backend`. */
  readonly backendModule?: string;
  /** Seconds that a batch may take on top of what its tokens need; default 120. */
  readonly batchSeconds?: number;
  /** Bytes that are free on the device. */
  readonly freeMemory?: FreeMemory;
}

/**
 * Scores every model: one child process per model and device slot, all its data sets, then the next model. The outcomes
 * stand in the order of `modelJobs`; a model that cannot be scored is a `failed` outcome while the others go on. After
 * an abort the models that were not through are `failed` with the reason "interrupted"; their delivered rows stay.
 * Rejects only when an `onRows` does (rows that cannot be kept), after every child has ended.
 */
export async function scoreModels(
  modelJobs: readonly ModelJob[],
  settings: ScoringSettings,
  events: ScoringEvents,
  engine: ScoringEngine = {},
): Promise<ModelOutcome[]> {
  const stopAll = new AbortController();
  const signal = settings.signal === undefined ? stopAll.signal : AbortSignal.any([settings.signal, stopAll.signal]);
  // Every model under way listens; on a machine of many cores that is no leak.
  setMaxListeners(0, signal);
  const outcomes = new Map<ModelJob, ModelOutcome>();
  const failures: unknown[] = [];
  const gpu = settings.device !== 'cpu';
  const stages = planSlots(sizesOf(modelJobs), machineOf(settings));
  const ahead = readAhead(stages.flatMap(({ models }) => models.map((id) => fileOf(modelJobs, id))));
  const run: Run = {
    settings,
    events,
    signal,
    ahead,
    backendModule: engine.backendModule ?? LLAMA_BACKEND,
    batchSeconds: engine.batchSeconds ?? 120,
    freeMemory: engine.freeMemory ?? freeMemory(settings.device),
  };
  for (const stage of stages) {
    const queue = new PQueue({ concurrency: stage.slots });
    const onLine = (line: string) => events.onLog?.('warn', `worker: ${line}`);
    const idle = Array.from({ length: stage.slots }, () => workerSlot(run.backendModule, gpu, onLine));
    const slots = [...idle];
    for (const id of stage.models) {
      const job = modelJobs.find((candidate) => candidate.model.id === id)!;
      void queue.add(async () => {
        // The queue never runs more tasks than there are slots.
        const slot = idle.pop()!;
        try {
          outcomes.set(job, await runInSlot(job, stage, slot, run));
        } catch (error) {
          failures.push(error);
          stopAll.abort();
        }
        idle.push(slot);
      });
    }
    await queue.onIdle();
    await Promise.all(slots.map((slot) => slot.end()));
  }
  await ahead.stop();
  if (failures.length > 0) throw failures[0];
  return modelJobs.map((job) => outcomes.get(job)!);
}

interface Run {
  readonly settings: ScoringSettings;
  readonly events: ScoringEvents;
  readonly signal: AbortSignal;
  readonly ahead: ReadAhead;
  readonly backendModule: string;
  readonly freeMemory: FreeMemory;
  readonly batchSeconds: number;
}

async function runInSlot(job: ModelJob, stage: SlotStage, slot: WorkerSlot, run: Run): Promise<ModelOutcome> {
  const { settings, signal, ahead, batchSeconds } = run;
  if (signal.aborted) return { kind: 'failed', model: job.model.id, reason: 'interrupted before it was loaded' };
  const rows = job.jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
  run.events.onModelStart?.(job.model.id, rows);
  ahead.started(job.model.id);
  let done = 0;
  const events: ScoringEvents = {
    onLog: (level, message) => run.events.onLog?.(level, message),
    onRows(model, dataset, count, tokens) {
      done += count;
      ahead.progressed(done, rows);
      run.events.onRows?.(model, dataset, count, tokens);
    },
  };
  const plan = workerPlan(job, stage, settings.device);
  const unfit = await refuseUnfit(job, plan, run.freeMemory, run.backendModule);
  const outcome: ModelOutcome =
    unfit === null
      ? await runModel({ job, plan, events, slot, batchSeconds, signal })
      : { kind: 'failed', model: job.model.id, reason: unfit };
  run.events.onModelEnd?.(outcome);
  return outcome;
}

function fileOf(modelJobs: readonly ModelJob[], id: string) {
  const { modelPath: path, modelBytes: bytes } = modelJobs.find((job) => job.model.id === id)!;
  return { id, path, bytes };
}

function sizesOf(modelJobs: readonly ModelJob[]) {
  return modelJobs.map((job) => ({ id: job.model.id, bytes: job.modelBytes }));
}
