import { nameWithFile } from '../../config/source-kind.js';
import type { InspectedModel, MemoryNeeds } from '../../contract/inspection.js';
import type { ModelJob } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { type FreeMemory, ramState } from '../device/free-memory.js';
import { estimateMemory } from './estimate-model.js';
import { type FileLook, lookInto } from './look-into.js';
import { mappedBytes, memoryNumbers, memoryPlan } from './memory-plan.js';

/** Beside twice its file no model needs more than this for one sequence. */
const AMPLE = 2 ** 30;
/** Tokens that a prompt has beside those of its own characters: template, start token, option, reply. */
const TOKENS_AROUND = 512;
/** No vocabulary has more tokens than the bytes of its file allow: embeddings of 128 numbers in 4 bits. */
const BYTES_PER_TOKEN = 64;

export type FittedPlan =
  /** `note`: what was lowered, with the numbers; null: nothing. */
  | { readonly kind: 'fits'; readonly plan: WorkerPlan; readonly note: string | null }
  /** `fits`: with so few sequences it would fit; absent: with none. */
  | { readonly kind: 'refused'; readonly reason: string; readonly fits?: number };

/** What is asked of the device and of the process that looks into files. */
export interface FitContext {
  readonly freeMemory: FreeMemory;
  readonly backendModule: string;
  /** Looks into the file of the job where several plans are fitted; absent: a process for this plan does. */
  readonly file?: FileLook;
}

/**
 * The plan of a model as the memory that is free allows it: with fewer contexts when not all of them fit (nothing is
 * said of one that would only wait for its turn), then with fewer sequences where these decide no numbers. Refused,
 * with the numbers, when not even one sequence fits, or when only fewer sequences would whose rows are other ones: rows
 * of two shapes never get under one key. Their number is then a power of two, so that a few bytes do not change it.
 * Only where memory may be short is the file looked into, without its weights, in a process that ends before the model
 * is loaded.
 */
export async function fitPlan(job: ModelJob, plan: WorkerPlan, context: FitContext): Promise<FittedPlan> {
  const asPlanned: FittedPlan = { kind: 'fits', plan, note: null };
  if (job.model.scoring?.memoryCheck === 'off') return asPlanned;
  const onDevice = await context.freeMemory();
  if (onDevice === null) return asPlanned;
  // With some layers on the GPU the rest is in main memory.
  const free = plan.device !== 'cpu' && typeof plan.gpuLayers === 'number' ? onDevice + ramState().free : onDevice;
  // Where nobody says how large the cache of a token is, only the room that characters leave bounds it.
  const known = job.model.kvCacheKiB === undefined ? null : (context.file?.contextSize() ?? null);
  if (free >= mostNeeded(job, plan, known ?? plan.contextSize)) return asPlanned;
  const planOf = (needs: MemoryNeeds) => memoryPlan(needs, mappedBytes(job.place.bytes, plan), free);
  const looked = await lookedInto(job, plan, context, (needs) => planOf(needs).fits);
  // It fits; or what is wrong with the file is better told by the attempt to load it.
  if (looked === null) return asPlanned;
  const [whole, alone] = [planOf(looked.whole.memory), planOf(looked.alone.memory)];
  if (!alone.fits) {
    const reason =
      `${nameWithFile(job.model)} does not fit into memory: for one sequence of ${looked.alone.contextSize} tokens ` +
      `${memoryNumbers(alone, plan.device)}; use a smaller file, or set scoring: { memoryCheck: off } to try it`;
    return { kind: 'refused', reason };
  }
  const { contexts, sequences } = mostThatFit(plan, looked, (needs) => planOf(needs).fits);
  if (sequences < looked.whole.sequences && decideNumbers(plan)) {
    const reason =
      `${nameWithFile(job.model)}: a context of ${looked.whole.sequences} sequences does not fit into memory ` +
      `(${memoryNumbers(whole, plan.device)}); ${sequences} would, whose rows are slightly other ones and kept apart, ` +
      `as with scoring: { sequences: ${sequences} } in models.yaml`;
    return { kind: 'refused', reason, fits: sequences };
  }
  const asMany = sequences === looked.whole.sequences;
  const fitted = { ...plan, contexts, sequences: asMany ? plan.sequences : Math.min(plan.sequences, sequences) };
  if (asMany && contexts === plan.atOnce) return { kind: 'fits', plan: fitted, note: null };
  const note =
    `${nameWithFile(job.model)}: its ${plan.contexts} x ${looked.whole.sequences} sequences do not fit into memory ` +
    `(${memoryNumbers(whole, plan.device)}), so it is scored with ${contexts} x ${sequences}`;
  return { kind: 'fits', plan: fitted, note };
}

/**
 * More bytes than a model can need, from its file and the tokens of a sequence; nothing is loaded for it.
 *
 * @param known tokens of a sequence; null: not known, so that each character of a prompt may be one
 */
function mostNeeded({ model, place, jobs }: ModelJob, plan: WorkerPlan, known: number | null): number {
  const prompts = jobs.flatMap((each) => each.prompts);
  const longest = prompts.reduce((most, { text, continuations }) => {
    const option = continuations.reduce((length, each) => Math.max(length, each.length), 0);
    return Math.max(most, text.length + option);
  }, 0);
  const contextSize = known ?? longest + TOKENS_AROUND;
  const sequences = Math.max(1, Math.min(plan.sequences, Math.floor((plan.cells ?? Infinity) / contextSize)));
  const vocabulary = Math.min(model.vocabulary ?? Infinity, 300_000, Math.ceil(place.bytes / BYTES_PER_TOKEN));
  const shape = { contexts: plan.contexts, sequences, contextSize, batchSize: plan.batchSize };
  const { kvCache, compute } = estimateMemory({ ...model, vocabulary }, place.bytes, shape);
  return 2 * (place.bytes + kvCache + compute) + AMPLE;
}

/** The needs of the whole plan, and of one context with one sequence. */
interface LookedInto {
  readonly whole: InspectedModel;
  readonly alone: InspectedModel;
}

/** Resolves with null where the whole plan fits, and where the file cannot be read. */
async function lookedInto(
  job: ModelJob,
  plan: WorkerPlan,
  context: FitContext,
  fits: (needs: MemoryNeeds) => boolean,
): Promise<LookedInto | null> {
  const file = context.file ?? lookInto(job, context.backendModule);
  try {
    const whole = await file.look(plan);
    if (whole === null || fits(whole.memory)) return null;
    const alone = await file.look({ ...plan, sequences: 1, contexts: 1 });
    return alone && { whole, alone };
  } finally {
    if (context.file === undefined) await file.end();
  }
}

/**
 * As many contexts as fit on a CPU, one on a card; with one of them half of the sequences (the next power of two where
 * they decide numbers), and so on. The cache grows evenly with contexts and with sequences.
 */
function mostThatFit(plan: WorkerPlan, { whole, alone }: LookedInto, fits: (needs: MemoryNeeds) => boolean) {
  const share = (contexts: number): MemoryNeeds => ({
    weights: whole.memory.weights,
    kvCache: (whole.memory.kvCache * contexts) / plan.contexts,
    compute: (whole.memory.compute * contexts) / plan.contexts,
  });
  // On a card what it takes beside its contexts is in the numbers too.
  for (let contexts = plan.contexts - 1; contexts > 1; contexts--)
    if (plan.device === 'cpu' && fits(share(contexts))) return { contexts, sequences: whole.sequences };
  const oneContext = whole.memory.kvCache / plan.contexts;
  const more = Math.max(1, whole.sequences - alone.sequences);
  const each = Math.max(0, oneContext - alone.memory.kvCache) / more;
  const compute = Math.max(alone.memory.compute, whole.memory.compute / plan.contexts);
  const needs = (sequences: number): MemoryNeeds => ({
    weights: whole.memory.weights,
    kvCache: alone.memory.kvCache + (sequences - 1) * each,
    compute: sequences === 1 ? alone.memory.compute : compute,
  });
  const fewer = (count: number) =>
    decideNumbers(plan) ? 2 ** Math.floor(Math.log2(count - 1)) : Math.floor(count / 2);
  let { sequences } = whole;
  while (sequences > 1 && !fits(needs(sequences))) sequences = fewer(sequences);
  return { contexts: 1, sequences };
}

/** Whether the sequences of a context decide the numbers of a prompt. */
function decideNumbers({ company = 'always' }: WorkerPlan): boolean {
  return company === 'always';
}
