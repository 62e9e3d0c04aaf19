import { type EncodedPrompts, encodeJobs } from './encode/encode-jobs.js';
import { frameModel, type ModelFraming } from './frame/frame-model.js';
import { isHarmless } from './harmless-warning.js';
import { openContexts } from './open-contexts.js';
import type { Backend, LoadedModel } from './protocol/backend.js';
import type { FromWorker, ToWorker, WirePrompt, WorkerPlan } from './protocol/protocol.js';
import { MAX_FAILED_SHARE } from './rows/failed-share.js';
import { type AckQueue, scoreWaves } from './rows/score-waves.js';

export interface ScoreSession {
  receive(message: ToWorker): void;
  /** Resolves when the session has sent `done` or `failed` and the model is unloaded. */
  readonly ended: Promise<void>;
}

/**
 * The worker's side of the protocol: one model, loaded once, all its prompts scored. Holds no native code itself, so
 * that it runs in tests with a stub backend.
 */
export function scoreSession(backend: Backend, send: (message: FromWorker) => void): ScoreSession {
  const jobs: WirePrompt[][] = [];
  const sharing: (readonly WirePrompt[])[] = [];
  const acks = ackQueue();
  let stopping = false;
  let finish: () => void;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let loading: Promise<Loaded> | undefined;

  const start = async () => {
    let model: LoadedModel | undefined;
    try {
      if (loading === undefined) throw new Error('`start` came before `load`');
      const loaded = await loading;
      model = loaded.model;
      await scoreAll(loaded, { jobs, sharing }, send, acks, () => stopping);
      await model.close();
      send({ kind: 'done', stopped: stopping });
    } catch (error) {
      await model?.close().catch(() => {});
      send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
    finish();
  };

  return {
    ended,
    receive(message) {
      if (message.kind === 'load') {
        loading = load(backend, message.plan, send);
        // The failure is reported by `start`.
        loading.catch(() => {});
      } else if (message.kind === 'prompts') {
        jobs[message.job] ??= [];
        jobs[message.job]!.push(...message.prompts);
      } else if (message.kind === 'sharing') sharing[message.job] = message.prompts;
      else if (message.kind === 'start') void start();
      else if (message.kind === 'ack') acks.release();
      else stopping = true;
    },
  };
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
    backend: plan.backend,
    threads: plan.threads,
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

async function scoreAll(
  { plan, model, framing, warnings }: Loaded,
  { jobs, sharing }: { jobs: readonly WirePrompt[][]; sharing: readonly (readonly WirePrompt[])[] },
  send: (message: FromWorker) => void,
  acks: AckQueue,
  stopped: () => boolean,
): Promise<void> {
  const encoded: EncodedPrompts = encodeJobs(jobs, model.info.rewinds ? sharing : [], framing, model.tokenize);
  for (const [job, { length }] of encoded.shared.entries()) {
    if (length > 0) send({ kind: 'log', level: 'info', text: keptText(job, length) });
  }
  const contexts = await openContexts(model, plan, encoded.longest);
  const facts = {
    architecture: model.info.architecture,
    backend: plan.backend,
    device: model.info.device,
    bos: framing.bos.add,
    bosReason: framing.bos.reason,
    chatTemplate: model.info.chatTemplate,
    contextSize: contexts[0]!.tokensPerSequence,
    sequences: contexts[0]!.sequences,
    batchSize: contexts[0]!.batchSize,
    threads: plan.threads,
    flashAttention: decided(plan.flashAttention, warnings),
    warnings: [...warnings],
  };
  const { trainContextSize } = model.info;
  const maxFailedShare = plan.maxFailedShare ?? MAX_FAILED_SHARE;
  await scoreWaves({ encoded, contexts, facts, trainContextSize, maxFailedShare, send, acks, stopped });
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
