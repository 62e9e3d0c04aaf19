import type { ExamplePrompt } from '../contract/prompt.js';
import type { ScoredRow } from '../contract/scored-row.js';
import type { ModelFacts, ModelJob, ScoringEvents } from '../contract/scorer.js';
import type { FromWorker, WirePrompt, WorkerPlan } from '../engine/protocol/protocol.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { type Patience, patience } from './process/patience.js';
import { endText, type WorkerProcess } from './process/worker-process.js';
import type { WorkerSlot } from './process/worker-slot.js';

export interface StayingOptions {
  /** Tokens that a prompt may have. */
  readonly longest: number;
  /** Two prompts whose common beginning all prompts have: it is evaluated once. Empty: there is none. */
  readonly sharing: readonly ExamplePrompt[];
}

export interface TalkParts {
  readonly job: Pick<ModelJob, 'model' | 'place'>;
  readonly plan: WorkerPlan;
  readonly options: StayingOptions;
  readonly slot: WorkerSlot;
  readonly events: ScoringEvents;
  /** Time in which a child that evaluates questions must say or compute something. */
  readonly batchSeconds: number;
}

interface Waiting {
  readonly resolve: (row: ScoredRow) => void;
  readonly reject: (error: Error) => void;
}

/** Batches of each context that a child has prompts for before it is told of more with its next answer only. */
const ENOUGH = 3;

const LOAD = { what: 'loading the model', silentMs: 180_000 };

/**
 * What is said to one child that keeps a model, from its start to its end. A child that is stuck is killed; all that
 * waits for a child that ended is rejected.
 */
export class StayingTalk {
  /** Rejects with why the model cannot be loaded. */
  readonly loaded: Promise<ModelFacts>;
  readonly #parts: TalkParts;
  readonly #worker: WorkerProcess;
  readonly #watch: Patience;
  readonly #waiting = new Map<string, Waiting>();
  /** Resolves when the place of the child is free for another one. */
  readonly ended: Promise<void>;
  #asked: WirePrompt[] = [];
  #last = 0;
  #isReady = false;
  #facts: ModelFacts | undefined;
  #over: Error | undefined;
  #settle: { loaded: (facts: ModelFacts) => void; failed: (error: Error) => void; ended: () => void };

  constructor(parts: TalkParts) {
    this.#parts = parts;
    this.#worker = parts.slot.take();
    const settle = { loaded: (_: ModelFacts) => {}, failed: (_: Error) => {}, ended: () => {} };
    this.loaded = new Promise((resolve, reject) => Object.assign(settle, { loaded: resolve, failed: reject }));
    this.ended = new Promise((resolve) => Object.assign(settle, { ended: resolve }));
    this.#settle = settle;
    // Whoever asks hears of it.
    this.loaded.catch(() => undefined);
    this.#watch = patience(this.#worker.child.pid, (what) => this.#end(`${what}, so its process was ended`, true));
    this.#worker.child.on('message', this.#receive);
    void this.#worker.gone.then((how) => this.#end(endText(this.#worker, how), false));
    this.#watch.set(LOAD);
    void this.#worker.ready.then(() => {
      this.#worker.send({ kind: 'load', plan: parts.plan });
      this.#worker.send({ kind: 'stay', ...parts.options });
      this.#isReady = true;
      this.#flush();
    });
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  get isLoaded(): boolean {
    return this.#facts !== undefined && !this.isOver;
  }

  /** Prompts that wait for their row, those that are being evaluated included. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** One row for each prompt, in their order. */
  async score(prompts: readonly ExamplePrompt[]): Promise<ScoredRow[]> {
    const wasIdle = this.#waiting.size === 0;
    const rows = Promise.all(prompts.map((prompt) => this.#scoreOne(prompt)));
    if (wasIdle) this.#expect();
    return rows;
  }

  /** Resolves when all that waits has been answered and the child has unloaded the model. */
  async finish(): Promise<void> {
    this.#flush();
    if (this.#facts === undefined) this.#end('the model was closed', true);
    else this.#worker.send({ kind: 'stop' });
    await this.ended;
  }

  #scoreOne(prompt: ExamplePrompt): Promise<ScoredRow> {
    return new Promise((resolve, reject) => {
      if (this.#over !== undefined) return reject(this.#over);
      const id = String(++this.#last);
      this.#waiting.set(id, { resolve: (row) => resolve({ ...row, id: prompt.id }), reject });
      // What comes in one turn of the event loop goes in one message.
      if (this.#asked.length === 0) setImmediate(() => this.#flushUnlessBusy());
      this.#asked.push({ ...prompt, id });
    });
  }

  /** While the child has enough to choose its next batches from, the others go with its next answer. */
  #flushUnlessBusy(): void {
    const { sequences, contexts } = this.#parts.plan;
    const sent = this.#waiting.size - this.#asked.length;
    if (sent < ENOUGH * sequences * contexts) this.#flush();
  }

  #flush(): void {
    // A child that has no model yet would not know what to do with questions.
    if (!this.#isReady) return;
    if (this.#asked.length > 0) this.#worker.send({ kind: 'ask', prompts: this.#asked });
    this.#asked = [];
  }

  #receive = (message: FromWorker): void => {
    const { job, events } = this.#parts;
    if (message.kind === 'log') events.onLog?.(message.level, `${job.model.id}: ${message.text}`);
    if (message.kind === 'failed') this.#end(message.reason, false);
    if (message.kind === 'done') this.#end('the model was unloaded', false);
    if (message.kind === 'loaded') {
      this.#facts = message.facts;
      this.#settle.loaded(message.facts);
      this.#expect();
    }
    if (message.kind !== 'rows') return;
    for (const row of message.rows) {
      if (row.status !== 'replied') this.#waiting.get(row.id)?.resolve(row);
      this.#waiting.delete(row.id);
    }
    // Answers bring new questions, which come in the next turns.
    if (this.#asked.length > 0) this.#flush();
    this.#expect();
  };

  /** While something waits, the child must show that it is at work. */
  #expect(): void {
    if (this.#facts === undefined) return;
    if (this.#waiting.size === 0) this.#watch.clear();
    else this.#watch.set({ what: 'evaluating questions', silentMs: this.#parts.batchSeconds * 1000 });
  }

  #end(reason: string, kill: boolean): void {
    if (this.#over !== undefined) return;
    const error = new SupportCalError('scoring', `${this.#parts.job.model.id}: ${reason}`);
    this.#over = error;
    this.#watch.clear();
    this.#worker.child.off('message', this.#receive);
    this.#settle.failed(error);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    void (kill ? this.#parts.slot.kill() : Promise.resolve()).then(this.#settle.ended);
  }
}
