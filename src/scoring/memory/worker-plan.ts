import { availableParallelism, totalmem } from 'node:os';
import type { Device } from '../../contract/device.js';
import type { ModelJob, ScoringSettings } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { flashAttentionOf } from '../device/flash-attention.js';
import { type EvaluationShape, evaluationShape, READING_CONTEXTS } from './evaluation-shape.js';
import type { SlotMachine, SlotStage } from './plan-slots.js';

export function machineOf({ device, cores }: Pick<ScoringSettings, 'device' | 'cores'>): SlotMachine {
  return { device, cores, memoryBytes: totalmem() };
}

/** A model, and what it is asked where that is known. */
type PlannedJob = Omit<ModelJob, 'jobs'> & {
  readonly jobs?: ReadonlyArray<Pick<ModelJob['jobs'][number], 'prompts'>>;
};

/** The prompts of a job have one mode, and replies one form. How many contexts there are changes no score. */
function readsMuch({ prompts: [first] }: Pick<ModelJob['jobs'][number], 'prompts'>): boolean {
  return first?.mode === 'text' || (first?.mode === 'reply' && first.reply?.form === null);
}

/**
 * The settings of models.yaml, which come first, then the shape that follows from the model, and the threads of its
 * slot.
 */
export function workerPlan(
  { model, place: { path, bytes, lora }, jobs = [] }: PlannedJob,
  slot: Pick<SlotStage, 'threads'>,
  device: Device,
): WorkerPlan {
  const own = model.scoring ?? {};
  const { cells, ...shape } = evaluationShape(bytes, device);
  if (shape.contexts > 1 && jobs.some(readsMuch)) shape.contexts = READING_CONTEXTS;
  if (own.contexts !== undefined && device !== 'cpu') shape.contexts = own.contexts;
  const company = own.sequences === undefined ? shape.company : 'always';
  // Threads that wait for each other while none of them has a core stand still for hours.
  const asked = own.threads && Math.min(own.threads, Math.max(slot.threads, availableParallelism()));
  const wholeOnCard = device !== 'cpu' && own.gpuLayers === undefined;
  const computing = coresOf({ ...shape, company }, asked, wholeOnCard ? threadsBesideCard(slot.threads) : slot.threads);
  return {
    model: model.id,
    modelPath: path,
    device,
    prompt: model.prompt,
    ...(model.assistantPrefix !== undefined && { assistantPrefix: model.assistantPrefix }),
    bos: own.bos ?? 'auto',
    ...(own.preTokenizer !== undefined && { preTokenizer: own.preTokenizer }),
    ...(lora !== undefined && { lora }),
    ...(own.kvType !== undefined && { kvType: own.kvType }),
    flashAttention: flashAttentionOf(model.scoring, device),
    ...(own.gpuLayers !== undefined && { gpuLayers: own.gpuLayers }),
    contextSize: own.contextSize ?? null,
    sequences: own.sequences ?? shape.sequences,
    ...(own.sequences === undefined && cells !== undefined && { cells }),
    company,
    ...computing,
    batchSize: own.batchSize ?? shape.batchSize,
    ...(own.maxFailedShare !== undefined && { maxFailedShare: own.maxFailedShare }),
  };
}

/**
 * Threads of a context whose layers are all on a card. They look up embeddings and, by our own reader, draw free text;
 * between two passes they wait in a loop that takes their cores from those of the other contexts. On 16 cores and an
 * H200 four contexts with 3, 4 or 5 threads each wrote 10,650 to 11,030 tokens a second, with 16, of which 4 drew,
 * 7,140 (bench/gpu/README.md); prompts are as fast with either.
 */
export function threadsBesideCard(cores: number): number {
  return Math.ceil(cores / READING_CONTEXTS);
}

/**
 * Where every prompt has a pass of its own, each core (or each group of `threads`) has a context of its own: threads of
 * one context wait for each other hundreds of times a pass, which on a busy machine takes ten times as long. With one
 * thread each there is a context more: it decodes while a row of another one is read, sent and made durable. None of
 * these numbers changes a score.
 */
function coresOf(
  { contexts, company }: Pick<EvaluationShape, 'contexts' | 'company'>,
  threads: number | undefined,
  cores: number,
): Pick<WorkerPlan, 'contexts' | 'atOnce' | 'threads'> {
  if (company !== 'never') return { contexts, threads: threads ?? cores };
  const atOnce = Math.max(1, Math.floor(cores / (threads ?? 1)));
  return threads === undefined || threads === 1
    ? { contexts: atOnce + 1, atOnce, threads: 1 }
    : { contexts: atOnce, threads };
}
