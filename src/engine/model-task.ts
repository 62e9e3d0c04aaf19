import { askedQueue, type OpenQueue } from './asked-queue.js';
import { type EncodedPrompts, encodeJobs, type Siblings } from './encode/encode-jobs.js';
import { tokenisingFor } from './encode/tokenising-for.js';
import { leavesStems } from './leaves-stems.js';
import { type FramedModel, type Loaded, type Loading, loadModel } from './load-model.js';
import { factsOf } from './model-facts.js';
import { openContexts, openReference } from './open-contexts.js';
import type { Backend, LoadedModel } from './protocol/backend.js';
import {
  type FromWorker,
  neverAMessage,
  type OtherOrders,
  type ToWorker,
  type WirePrompt,
  type WorkerPlan,
} from './protocol/protocol.js';
import { type AckQueue, ackQueue } from './rows/ack-queue.js';
import { MAX_FAILED_SHARE } from './rows/failed-share.js';
import { scoreWaves } from './rows/score-waves.js';
import { stayOpen } from './stay-open.js';
import { type TrialQueue, trialQueue, tuneShapes } from './tune-shapes.js';

/** What is said to a child that has, or gets, a model. */
type ModelMessage = Exclude<ToWorker, { kind: 'prepare' }>;

export interface ModelTask {
  receive(message: ModelMessage): void;
  /** Resolves when the task has sent `done` or `failed` and the model is unloaded. */
  readonly ended: Promise<void>;
}

/** What the parent has asked for, and the way back to it. */
interface Talk {
  /** The prompts of each job, as they have come. */
  readonly jobs: WirePrompt[][];
  /** The ids of prompts that get no row, for each job. */
  readonly skipped: Set<string>[];
  readonly sharing: (readonly WirePrompt[])[];
  otherOrders: readonly OtherOrders[];
  readonly acks: AckQueue;
  /** Tokens that other children have made, by chunk; null: all prompts are tokenised. */
  siblingTokens: Map<number, Uint32Array> | null;
  /** What a model that stays is asked. */
  readonly asked: OpenQueue;
  readonly trials: TrialQueue;
  readonly send: (message: FromWorker) => void;
  stopping: boolean;
  sharesTokens: boolean;
}

/**
 * The worker's side of the protocol: one model, loaded once, all its prompts scored. Holds no native code itself, so
 * that it runs in tests with a stub backend.
 */
export function modelTask(backend: Backend, send: (message: FromWorker) => void): ModelTask {
  const talk: Talk = {
    jobs: [],
    skipped: [],
    sharing: [],
    otherOrders: [],
    acks: ackQueue(),
    siblingTokens: new Map(),
    asked: askedQueue(),
    trials: trialQueue(),
    send,
    stopping: false,
    sharesTokens: false,
  };
  let loading: Loading | undefined;
  let finish: () => void;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const receive = (message: ModelMessage): void => {
    switch (message.kind) {
      case 'load':
        loading = loadModel(backend, message, send);
        return;
      case 'prompts': {
        const prompts = talk.jobs[message.job] ?? [];
        talk.jobs[message.job] = prompts;
        prompts.push(...message.prompts);
        const skipped = talk.skipped[message.job] ?? new Set();
        talk.skipped[message.job] = skipped;
        for (const id of message.skipped ?? []) skipped.add(id);
        return;
      }
      case 'sharing':
        talk.sharing[message.job] = message.prompts;
        return;
      case 'tokens':
        talk.siblingTokens?.set(message.chunk, message.packed);
        return;
      case 'start':
        talk.otherOrders = message.otherOrders ?? [];
        talk.sharesTokens = message.sharesTokens === true;
        void useLoaded(loading, talk, async (loaded, meanwhile) =>
          scoreAll(loaded, meanwhile ?? (await encodeAll(loaded, talk)), talk),
        ).then(finish);
        return;
      case 'tune':
        void useLoaded(loading, talk, (loaded) => tune(loaded, message, talk)).then(finish);
        return;
      case 'trial':
        talk.trials.add(message.trial);
        return;
      case 'stay':
        void useLoaded(loading, talk, (loaded) => stay(loaded, message, talk)).then(finish);
        return;
      case 'ask':
        talk.asked.add(message.prompts);
        return;
      case 'ack':
        talk.acks.release();
        return;
      case 'stop':
        talk.stopping = true;
        talk.asked.end();
        talk.trials.end();
        return;
      default:
        neverAMessage(message);
    }
  };
  return { ended, receive };
}

/** Does the work with the model and unloads it; every failure ends as a message. */
async function useLoaded(
  loading: Loading | undefined,
  talk: Talk,
  work: (loaded: Loaded, encoded: EncodedPrompts | null) => Promise<void>,
): Promise<void> {
  let model: LoadedModel | undefined;
  try {
    if (loading === undefined) throw new Error('work was asked for before `load`');
    const encoded = await encodeMeanwhile(loading, talk);
    const loaded = await loading.whole;
    model = loaded.model;
    await work(loaded, encoded);
    await model.close();
    talk.send({ kind: 'done', stopped: talk.stopping });
  } catch (error) {
    await model?.close().catch(() => {});
    talk.send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
}

/** All prompts tokenised with the vocabulary alone, while the weights are loaded; null: that was not asked for. */
async function encodeMeanwhile({ vocabulary, whole }: Loading, talk: Talk): Promise<EncodedPrompts | null> {
  const early = await vocabulary;
  if (early === null) return null;
  // What fails here fails again with the whole model, and is reported then.
  const encoded = await encodeAll(early, talk).catch(() => null);
  await whole.catch(() => {});
  await early.model.close().catch(() => {});
  return encoded;
}

function encodeAll({ plan, model, framing }: FramedModel, talk: Talk): Promise<EncodedPrompts> {
  const { jobs, sharing, send } = talk;
  return encodeJobs(jobs, model.info.rewinds ? sharing : [], framing, {
    ...tokenisingFor(model, plan),
    siblings: talk.sharesTokens ? siblingsOf(plan, talk) : undefined,
    onProgress: (prompts) => send({ kind: 'progress', what: `tokenising (${prompts} prompts done)` }),
  });
}

function siblingsOf({ share = { index: 0, count: 1 } }: WorkerPlan, { siblingTokens, send }: Talk): Siblings {
  return {
    share,
    take: (chunk) => siblingTokens?.get(chunk),
    give: (chunk, packed) => send({ kind: 'tokens', chunk, packed }),
  };
}

async function scoreAll(loaded: Loaded, encoded: EncodedPrompts, talk: Talk): Promise<void> {
  const { plan, model } = loaded;
  const { skipped, send, acks } = talk;
  talk.siblingTokens = null;
  send({ kind: 'progress', what: 'opening contexts and evaluating the first prompts' });
  for (const [job, { length }] of encoded.shared.entries()) {
    if (length > 0) send({ kind: 'log', level: 'info', text: keptText(job, length) });
  }
  const contexts = await openContexts(model, plan, encoded.longest);
  const facts = factsOf(loaded, contexts);
  const { trainContextSize } = model.info;
  const maxFailedShare = plan.maxFailedShare ?? MAX_FAILED_SHARE;
  const stopped = () => talk.stopping;
  const reference = await openReference(model, plan, contexts);
  const { share } = plan;
  await scoreWaves({
    encoded,
    share,
    skipped,
    otherOrders: leavesStems(model.info, plan) ? talk.otherOrders : [],
    contexts,
    facts,
    reference,
    trainContextSize,
    maxFailedShare,
    send,
    acks,
    stopped,
  });
}

function keptText(job: number, tokens: number): string {
  return `data set ${job + 1}: the first ${tokens} tokens, the same in every prompt, are evaluated once per sequence`;
}

/** Keeps the model for prompts that come one by one. */
async function stay(
  loaded: Loaded,
  { longest, sharing }: Extract<ToWorker, { kind: 'stay' }>,
  { asked, send }: Talk,
): Promise<void> {
  const { plan, model, framing } = loaded;
  const contexts = await openContexts(model, plan, longest);
  await stayOpen({ plan, model, framing, contexts, facts: factsOf(loaded, contexts), sharing, send }, asked);
}

/** Scores the prompts in one shape after the other, for their time alone. */
async function tune(
  loaded: Loaded,
  { otherOrders = [] }: Extract<ToWorker, { kind: 'tune' }>,
  talk: Talk,
): Promise<void> {
  const encoded = await encodeAll(loaded, talk);
  const { trials, send } = talk;
  await tuneShapes({ loaded, encoded, otherOrders, trials, send, stopped: () => talk.stopping });
}
