import { frameModel, type ModelFraming } from './frame/frame-model.js';
import { isHarmless } from './harmless-warning.js';
import type { Backend, LoadedModel, LoadRequest } from './protocol/backend.js';
import type { FromWorker, ToWorker, WorkerPlan } from './protocol/protocol.js';

/** What prompts are tokenised with. */
export interface FramedModel {
  readonly plan: WorkerPlan;
  readonly model: LoadedModel;
  readonly framing: ModelFraming;
}

export interface Loaded extends FramedModel {
  /** What the native library said. */
  readonly warnings: readonly string[];
}

/** A model on its way. */
export interface Loading {
  readonly whole: Promise<Loaded>;
  /** Its vocabulary, loaded before the weights so that prompts can be tokenised meanwhile; null: not asked for. */
  readonly vocabulary: Promise<FramedModel | null>;
}

/** Loads a model, and its vocabulary before it where the message says so. */
export function loadModel(
  backend: Backend,
  { plan, tokeniseMeanwhile = false }: Extract<ToWorker, { kind: 'load' }>,
  send: (message: FromWorker) => void,
): Loading {
  // What is wrong with the file is told by the attempt to load all of it.
  const vocabulary = tokeniseMeanwhile ? loadVocabulary(backend, plan).catch(() => null) : Promise.resolve(null);
  const whole = tokeniseMeanwhile
    ? vocabulary.then(() => loadWhole(backend, plan, send))
    : loadWhole(backend, plan, send);
  // The failure is reported by whoever needs the model.
  whole.catch(() => {});
  return { whole, vocabulary };
}

async function loadVocabulary(backend: Backend, plan: WorkerPlan): Promise<FramedModel> {
  return framed(plan, await backend.load({ ...requestOf(plan), gpuLayers: 0, vocabOnly: true, onLog: () => {} }));
}

async function loadWhole(backend: Backend, plan: WorkerPlan, send: (message: FromWorker) => void): Promise<Loaded> {
  const warnings: string[] = [];
  const model = await backend.load({
    ...requestOf(plan),
    ...(plan.gpuLayers !== undefined && { gpuLayers: plan.gpuLayers }),
    onLog: (level, text) => {
      if (level !== 'info') warnings.push(text);
      send({ kind: 'log', level: level === 'warn' && isHarmless(text) ? 'info' : level, text });
    },
  });
  return { warnings, ...(await framed(plan, model)) };
}

function requestOf(plan: WorkerPlan): Omit<LoadRequest, 'onLog'> {
  return {
    modelPath: plan.modelPath,
    device: plan.device,
    // The library lets no more threads than these compute: a context beyond waits until another one has decoded.
    threads: plan.threads * Math.min(plan.contexts, plan.atOnce ?? plan.contexts),
    ...(plan.preTokenizer !== undefined && { preTokenizer: plan.preTokenizer }),
  };
}

async function framed(plan: WorkerPlan, model: LoadedModel): Promise<FramedModel> {
  try {
    return { plan, model, framing: frameModel(plan, model) };
  } catch (error) {
    await model.close();
    throw error;
  }
}
