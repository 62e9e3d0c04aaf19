import type { ModelFacts } from '../contract/scorer.js';
import { askedQueue, type OpenQueue } from './asked-queue.js';
import { type EncodedPrompts, encodeJobs } from './encode/encode-jobs.js';
import { frameModel, type ModelFraming } from './frame/frame-model.js';
import { isHarmless } from './harmless-warning.js';
import { openContexts, openReference } from './open-contexts.js';
import type { Backend, LoadedModel } from './protocol/backend.js';
import {
  type FromWorker,
  neverAMessage,
  type ToWorker,
  type WirePrompt,
  type WorkerPlan,
} from './protocol/protocol.js';
import { MAX_FAILED_SHARE } from './rows/failed-share.js';
import { type AckQueue, scoreWaves } from './rows/score-waves.js';
import { stayOpen } from './stay-open.js';

export interface ModelTask {
  receive(message: ToWorker): void;
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
  readonly acks: AckQueue;
  /** What a model that stays is asked. */
  readonly asked: OpenQueue;
  readonly send: (message: FromWorker) => void;
  stopping: boolean;
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
    acks: ackQueue(),
    asked: askedQueue(),
    send,
    stopping: false,
  };
  let loading: Promise<Loaded> | undefined;
  let finish: () => void;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const receive = (message: ToWorker): void => {
    switch (message.kind) {
      case 'load':
        loading = load(backend, message.plan, send);
        // The failure is reported by `useLoaded`.
        loading.catch(() => {});
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
      case 'start':
        void useLoaded(loading, talk, scoreAll).then(finish);
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
        return;
      default:
        neverAMessage(message);
    }
  };
  return { ended, receive };
}

/** Does the work with the model and unloads it; every failure ends as a message. */
async function useLoaded(
  loading: Promise<Loaded> | undefined,
  talk: Talk,
  work: (loaded: Loaded, talk: Talk) => Promise<void>,
): Promise<void> {
  let model: LoadedModel | undefined;
  try {
    if (loading === undefined) throw new Error('work was asked for before `load`');
    const loaded = await loading;
    model = loaded.model;
    await work(loaded, talk);
    await model.close();
    talk.send({ kind: 'done', stopped: talk.stopping });
  } catch (error) {
    await model?.close().catch(() => {});
    talk.send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
}

interface Loaded {
  readonly plan: WorkerPlan;
  readonly model: LoadedModel;
  readonly framing: ModelFraming;
  readonly warnings: readonly string[];
}

async function load(backend: Backend, plan: WorkerPlan, send: (message: FromWorker) => void): Promise<Loaded> {
  const warnings: string[] = [];
  const model = await backend.load({
    modelPath: plan.modelPath,
    device: plan.device,
    threads: plan.threads * plan.contexts,
    ...(plan.preTokenizer !== undefined && { preTokenizer: plan.preTokenizer }),
    ...(plan.gpuLayers !== undefined && { gpuLayers: plan.gpuLayers }),
    onLog: (level, text) => {
      if (level !== 'info') warnings.push(text);
      send({ kind: 'log', level: level === 'warn' && isHarmless(text) ? 'info' : level, text });
    },
  });
  try {
    return { plan, model, framing: frameModel(plan, model), warnings };
  } catch (error) {
    await model.close();
    throw error;
  }
}

async function scoreAll({ plan, model, framing, warnings }: Loaded, talk: Talk): Promise<void> {
  const { jobs, skipped, sharing, send, acks } = talk;
  const encoded: EncodedPrompts = await encodeJobs(jobs, model.info.rewinds ? sharing : [], framing, {
    tokenize: model.tokenize,
    linesApart: model.keepsLinesApart?.() === true,
    onProgress: (prompts) => send({ kind: 'progress', what: `tokenising (${prompts} prompts done)` }),
  });
  send({ kind: 'progress', what: 'opening contexts and evaluating the first prompts' });
  for (const [job, { length }] of encoded.shared.entries()) {
    if (length > 0) send({ kind: 'log', level: 'info', text: keptText(job, length) });
  }
  const contexts = await openContexts(model, plan, encoded.longest);
  const facts = factsOf({ plan, model, framing, warnings }, contexts);
  const { trainContextSize } = model.info;
  const maxFailedShare = plan.maxFailedShare ?? MAX_FAILED_SHARE;
  const stopped = () => talk.stopping;
  const reference = await openReference(model, plan, contexts);
  const { share } = plan;
  await scoreWaves({
    encoded,
    share,
    skipped,
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

/** Keeps the model for prompts that come one by one. */
async function stay(
  loaded: Loaded,
  { longest, sharing }: Extract<ToWorker, { kind: 'stay' }>,
  { asked, send }: Talk,
): Promise<void> {
  const { plan, model, framing } = loaded;
  const contexts = await openContexts(model, plan, longest);
  await stayOpen({ model, framing, contexts, facts: factsOf(loaded, contexts), sharing, send }, asked);
}

function factsOf(
  { plan, model, framing, warnings }: Loaded,
  contexts: Awaited<ReturnType<typeof openContexts>>,
): ModelFacts {
  const [{ tokensPerSequence, sequences, inTurn = false, batchSize }] = contexts;
  return {
    architecture: model.info.architecture,
    backend: plan.device,
    device: model.info.device,
    bos: framing.bos.add,
    bosReason: framing.bos.reason,
    chatTemplate: model.info.chatTemplate,
    contextSize: tokensPerSequence,
    sequences: inTurn ? 1 : sequences,
    batchSize,
    threads: plan.threads,
    flashAttention: decided(plan.flashAttention, warnings),
    warnings: [...warnings],
  };
}

/** llama.cpp warns when `auto` comes to off, and says nothing of it above a warning's level when it comes to on. */
function decided(asked: WorkerPlan['flashAttention'], warnings: readonly string[]): 'on' | 'off' {
  if (asked !== 'auto') return asked;
  return warnings.some((line) => /flash attention not supported/i.test(line)) ? 'off' : 'on';
}

function keptText(job: number, tokens: number): string {
  return `data set ${job + 1}: the first ${tokens} tokens, the same in every prompt, are evaluated once per sequence`;
}

function ackQueue(): AckQueue {
  const waiting: (() => void)[] = [];
  return {
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
    release: () => waiting.shift()?.(),
  };
}
