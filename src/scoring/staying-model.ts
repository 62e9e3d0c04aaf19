import type { ExamplePrompt } from '../contract/prompt.js';
import type { ScoredRow } from '../contract/scored-row.js';
import type { ModelFacts, ModelJob, ScoringEvents, ScoringSettings } from '../contract/scorer.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { planSlots } from './memory/plan-slots.js';
import { machineOf, workerPlan } from './memory/worker-plan.js';
import type { ScoringEngine } from './pool-maker.js';
import { LLAMA_BACKEND } from './process/spawn-worker.js';
import { workerSlot } from './process/worker-slot.js';
import { type StayingOptions, StayingTalk } from './staying-talk.js';

/** One model in a child process that stays, for questions that come at any time. */
export interface StayingModel {
  /** Loads the model, unless it is loaded. Rejects with why it cannot be. */
  open(): Promise<ModelFacts>;
  /**
   * One row for each prompt, in their order. Prompts of several calls are evaluated together. Rejects when the child
   * died over them, or the model cannot be loaded; the next call starts another child.
   */
  score(prompts: readonly ExamplePrompt[]): Promise<ScoredRow[]>;
  /** Whether the model is loaded. */
  isOpen(): boolean;
  /** Prompts that wait for their row, those that are being evaluated included. */
  waiting(): number;
  /** Answers what waits, then unloads the model. */
  close(): Promise<void>;
}

/**
 * Keeps one model loaded. One child process has it, on the device of the settings; a dead one is replaced when the
 * next prompt comes. What is evaluated together hangs on what comes together, so that on a GPU the last bits of a row
 * do too.
 */
export function stayingModel(
  job: Pick<ModelJob, 'model' | 'place'>,
  { device, cores }: Pick<ScoringSettings, 'device' | 'cores'>,
  options: StayingOptions,
  { events = {}, engine = {} }: { readonly events?: ScoringEvents; readonly engine?: ScoringEngine } = {},
): StayingModel {
  const [stage] = planSlots([{ id: job.model.id, bytes: job.place.bytes }], machineOf({ device, cores }));
  if (stage === undefined) throw new RangeError(`no place to run ${job.model.id} was planned`);
  const { backendModule = LLAMA_BACKEND, batchSeconds = 120 } = engine;
  const onLine = (line: string) => events.onLog?.('warn', `worker: ${line}`);
  const slot = workerSlot(backendModule, device !== 'cpu', onLine);
  const plan = workerPlan(job, stage, device);
  let talk: StayingTalk | undefined;
  let closed = false;
  const current = async () => {
    if (talk?.isOver) await talk.ended;
    if (closed) throw new SupportCalError('interrupted', `${job.model.id}: the model was closed`);
    if (talk === undefined || talk.isOver) talk = new StayingTalk({ job, plan, options, slot, events, batchSeconds });
    return talk;
  };
  return {
    open: async () => (await current()).loaded,
    score: async (prompts) => (await current()).score(prompts),
    isOpen: () => talk?.isLoaded === true,
    waiting: () => talk?.waiting ?? 0,
    async close() {
      closed = true;
      if (talk?.isOver === false) await talk.finish();
      await slot.end();
    },
  };
}
