import type { Card, Device } from '../../contract/device.js';
import type { ModelJob } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { deviceFor } from '../../scoring/device/device-for.js';
import { visibility } from '../../scoring/device/visible-cards.js';
import { workerPlan } from '../../scoring/memory/worker-plan.js';
import { LLAMA_BACKEND } from '../../scoring/process/spawn-worker.js';
import { isSameShape, keepTuned, type TunedShape, tunedFor } from '../../scoring/source/tuned-shapes.js';
import { type FoundShape, type Shape, saidOf, shapeOf } from '../../scoring/tune/search-shape.js';
import { tuneModel } from '../../scoring/tune/tune-model.js';
import { asksOf } from '../score/open-entry-writer.js';
import type { Workspace } from '../workspace/workspace.js';
import type { InspectableModel } from './doctor-files.js';
import { everyNthExample } from './every-nth-example.js';

/** What was found for the models of one shape. */
export interface TunedModels {
  /** Their ids; the first one was measured. */
  readonly models: readonly string[];
  readonly given: Shape;
  /** null: nothing could be measured, for the reason. */
  readonly found: FoundShape | null;
  readonly reason: string | null;
  /** Why runs do not know what was found: it could not be written down; null: they do, where anything was found. */
  readonly notKept: string | null;
}

export interface TuneRun {
  readonly device: Device;
  readonly cores: number;
  /** The first one is measured on; all are taken to be like it. */
  readonly cards: readonly Card[];
  /** Name of the card by which runs look for what was found, whichever they use: the first one of this machine. */
  readonly sought: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly backendModule?: string | undefined;
  /** For tests: how long a trial must take, in milliseconds. */
  readonly leastTrialMs?: number | undefined;
  /** Called before the first trial of a model, which takes longest: it is loaded and its prompts are tokenised. */
  readonly onModel?: ((model: string) => void) | undefined;
  readonly onTrial?: ((model: string, shape: Shape, rate: number | null) => void) | undefined;
}

/** Prompts that a model is sent for its trials. */
const MOST_PROMPTS = 8192;

type Inspectable = Extract<InspectableModel, { readonly job: unknown }>;

/**
 * `doctor --tune`: the fastest shape for the models whose files are here, on the card that is here, measured with the
 * prompts of the suite and kept in the cache folder for the runs to come. Files of one size are of one shape: of these
 * one is measured, that of which models.yaml says least, and then that with the most prompts. On a CPU there is nothing
 * to tune: each prompt has a pass of its own there, and a core its context.
 */
export async function tuneModels(
  workspace: Workspace,
  files: readonly InspectableModel[],
  run: TuneRun,
): Promise<TunedModels[]> {
  const tuned: TunedModels[] = [];
  for (const alike of byShape(files, run.device)) {
    if (run.signal?.aborted) break;
    tuned.push(await tuneAlike(workspace, alike, run));
  }
  return tuned;
}

function byShape(files: readonly InspectableModel[], device: Device): Inspectable[][] {
  const groups: Inspectable[][] = [];
  for (const file of files) {
    if (!('job' in file) || deviceFor(file.model, device) === 'cpu') continue;
    const { bytes } = file.job.place;
    const group = groups.find(([first]) => first !== undefined && isSameShape(first.job.place.bytes, bytes));
    if (group === undefined) groups.push([file]);
    else group.push(file);
  }
  return groups.map((group) =>
    group.toSorted(
      (a, b) => saidOf(a.model.scoring).size - saidOf(b.model.scoring).size || promptsOf(b) - promptsOf(a),
    ),
  );
}

function promptsOf({ job }: Inspectable): number {
  return job.jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
}

async function tuneAlike(workspace: Workspace, alike: readonly Inspectable[], run: TuneRun): Promise<TunedModels> {
  const { device, cores, cards, signal, backendModule = LLAMA_BACKEND, onTrial } = run;
  const [file] = alike as readonly [Inspectable, ...Inspectable[]];
  const job = trialJob(workspace, file);
  const plan = workerPlan(job, { threads: cores }, device);
  const [card] = cards;
  const models = alike.map(({ model }) => model.id);
  const given = shapeOf(plan);
  if (card !== undefined && card.name !== run.sought) {
    const reason = `runs take what was found for ${run.sought}, the first card here, and this is ${card.name}`;
    return { models, given, found: null, reason: `${reason}: say its shape in models.yaml`, notKept: null };
  }
  run.onModel?.(file.model.id);
  const tuned = await tuneModel(job, plan, {
    backendModule,
    free: card?.memory?.free ?? null,
    ...(card !== undefined && { visible: visibility([card]) }),
    signal,
    leastMs: run.leastTrialMs,
    onTrial: (shape, rate) => onTrial?.(file.model.id, shape, rate),
  });
  if (tuned.kind === 'none') {
    // A run gives a model that one card does not hold several of them.
    const reason = cards.length > 1 ? `on one card of ${cards.length}: ${tuned.reason}` : tuned.reason;
    return { models, given, found: null, reason, notKept: null };
  }
  const { found } = tuned;
  const notKept = await keep(workspace, card, {
    ...tunedFor(device, card?.name ?? '', job.place.bytes),
    scoring: changed(given, found.shape),
    gain: found.gain,
    tunedAt: new Date().toISOString(),
  });
  return { models, given, found, reason: null, notKept };
}

/** Returns why it could not be kept, since the minutes that the search took are not to be lost with it; null: it is. */
async function keep({ options }: Workspace, card: Card | undefined, tuned: TunedShape): Promise<string | null> {
  if (card === undefined) return 'the card has no name by which runs would find it';
  try {
    await keepTuned(options.cache, tuned);
    return null;
  } catch (error) {
    if (error instanceof SupportCalError) return error.message;
    throw error;
  }
}

function changed(given: Shape, found: Shape): Partial<Shape> {
  return Object.fromEntries(Object.entries(found).filter(([name, value]) => value !== given[name as keyof Shape]));
}

/** The prompts of a run, each kind in the share that it has of them. */
function trialJob({ ways }: Workspace, { model, job, asked }: Inspectable): ModelJob {
  const step = Math.ceil(job.jobs.reduce((sum, { prompts }) => sum + prompts.length, 0) / MOST_PROMPTS);
  const jobs = job.jobs.map(({ dataset, prompts }, n) => {
    const way = ways.find(({ name }) => name === asked[n]?.kind);
    return {
      dataset,
      prompts: everyNthExample(prompts, step, ({ id, reply }) => reply?.example ?? id),
      ...(way !== undefined && asksOf(way)),
      onRows: async () => {},
    };
  });
  return { model, place: job.place, jobs };
}
