import type { ModelJob } from '../../contract/scorer.js';
import type { FromWorker, Trial, TrialTime, WorkerPlan } from '../../engine/protocol/protocol.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { patience } from '../process/patience.js';
import { endText } from '../process/worker-process.js';
import type { WorkerSlot } from '../process/worker-slot.js';
import { otherOrdersOf, promptMessages } from '../run/run-attempt.js';

/** A child that holds a model and scores its prompts in any shape, for their time. */
export interface TrialTalk {
  /**
   * Resolves with null when there is no memory for its contexts.
   *
   * @throws SupportCalError scoring, when the model cannot be loaded or the child is gone; nothing more can be tried
   */
  attempt(trial: Trial): Promise<TrialTime | null>;
  end(): Promise<void>;
}

/** Loading, tokenising or a trial: in none of them is a child silent and idle for so long. */
const SILENCE_MS = 180_000;

/** Starts a child with the model and its prompts. */
export function openTrials(job: ModelJob, plan: WorkerPlan, slot: WorkerSlot): TrialTalk {
  const worker = slot.take();
  const answers: { resolve(time: TrialTime | null): void; reject(error: Error): void }[] = [];
  let over: SupportCalError | undefined;
  const fail = (reason: string) => {
    over ??= new SupportCalError('scoring', `${job.model.id}: ${reason}`);
    watch.clear();
    for (const { reject } of answers.splice(0)) reject(over);
  };
  const watch = patience(worker.child.pid, (what) => {
    worker.child.kill('SIGKILL');
    fail(`${what}, so its process was ended`);
  });
  worker.child.on('message', (message: FromWorker) => {
    if (answers.length > 0) watch.set({ what: 'trying a shape', silentMs: SILENCE_MS });
    if (message.kind === 'failed') fail(message.reason);
    if (message.kind !== 'tried') return;
    watch.clear();
    answers.shift()?.resolve(message.time);
  });
  void worker.gone.then((how) => fail(endText(worker, how)));
  const opened = worker.ready.then(() => {
    worker.send({ kind: 'load', plan });
    for (const message of promptMessages(job.jobs)) worker.send(message);
    worker.send({ kind: 'tune', ...otherOrdersOf(job.jobs) });
  });
  return {
    attempt(trial) {
      return new Promise((resolve, reject) => {
        if (over !== undefined) return reject(over);
        answers.push({ resolve, reject });
        watch.set({ what: 'loading the model', silentMs: SILENCE_MS });
        void opened.then(() => worker.send({ kind: 'trial', trial }));
      });
    },
    async end() {
      watch.clear();
      // What it computes nobody waits for.
      await slot.kill();
    },
  };
}
