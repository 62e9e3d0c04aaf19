import { availableParallelism } from 'node:os';
import type { Device } from '../contract/device.js';
import type { InspectedModel, InspectedPrompt } from '../contract/inspection.js';
import type { ModelJob, ScoringSettings } from '../contract/scorer.js';
import type { PromptSet } from '../engine/inspect/count-prompts.js';
import type { InspectRequest } from '../engine/inspect/inspect-model.js';
import { deviceFor } from './device/device-for.js';
import { workerPlan } from './memory/worker-plan.js';
import { type InspectChild, inspectChild } from './process/inspect-child.js';
import { LLAMA_BACKEND } from './process/spawn-worker.js';

export interface InspectionJob extends Omit<ModelJob, 'jobs'> {
  /** Models that are asked the same prompts share the array: it is sent and tokenised once. */
  readonly jobs: ReadonlyArray<Pick<ModelJob['jobs'][number], 'dataset' | 'prompts'>>;
}

export type Inspection =
  | { readonly kind: 'inspected'; readonly model: string; readonly facts: InspectedModel }
  | { readonly kind: 'failed'; readonly model: string; readonly reason: string };

export interface InspectOptions {
  readonly detail: InspectRequest['detail'];
  readonly signal?: AbortSignal;
  onPrompts?(model: string, dataset: string, prompts: readonly InspectedPrompt[], bos: InspectedModel['bos']): void;
  /** JSON Lines of prompts, without the names of model and data set. */
  onLines?(model: string, dataset: string, piece: { readonly text: string; readonly lines: number }): void;
  /** So many of a model's prompts are tokenised. */
  onProgress?(model: string, done: number, total: number): void;
}

/** Looks into model files in a child process, which remembers what it has tokenised. */
export interface Inspector {
  /**
   * Loads the vocabulary of each model, without weights, and tokenises its prompts under the plan that scoring would
   * follow. A file that cannot be read, or ends the process, is a `failed` inspection; the others go on.
   */
  inspect(
    models: readonly InspectionJob[],
    settings: Pick<ScoringSettings, 'device'>,
    options: InspectOptions,
  ): Promise<Inspection[]>;
  end(): Promise<void>;
}

/**
 * The process starts when the first model is looked into, and anew after a file that ended it.
 *
 * @param backendModule for tests: URL of a module that exports `backend: Backend`
 */
export function openInspector(backendModule: string = LLAMA_BACKEND): Inspector {
  let visited: Visited | undefined;
  return {
    async inspect(models, { device }, options) {
      const inspections: Inspection[] = [];
      for (const each of models) {
        if (options.signal?.aborted) break;
        if (!visited?.child.alive) visited = { child: inspectChild(backendModule), ids: new Map() };
        inspections.push(...(await inspectOne(visited, each, deviceFor(each.model, device), options)));
      }
      return inspections;
    },
    end: async () => await visited?.child.end(),
  };
}

/** One inspection with a process of its own. */
export async function inspectModels(
  models: readonly InspectionJob[],
  settings: Pick<ScoringSettings, 'device'>,
  { backendModule, ...options }: InspectOptions & { readonly backendModule?: string | undefined },
): Promise<Inspection[]> {
  const inspector = openInspector(backendModule);
  try {
    return await inspector.inspect(models, settings, options);
  } finally {
    await inspector.end();
  }
}

/** A child process with the sets of prompts that it was sent. */
interface Visited {
  readonly child: InspectChild;
  readonly ids: Map<InspectionJob['jobs'][number]['prompts'], number>;
}

async function inspectOne(
  { child, ids }: Visited,
  job: InspectionJob,
  device: Device,
  { onPrompts, onLines, onProgress, detail, signal }: InspectOptions,
): Promise<Inspection[]> {
  const model = job.model.id;
  const sets: PromptSet[] = [];
  const jobs = job.jobs.map(({ prompts }) => {
    const known = ids.get(prompts);
    if (known !== undefined) return known;
    const id = ids.size;
    ids.set(prompts, id);
    sets.push({ id, prompts });
    return id;
  });
  // Vocabularies alone are loaded; the cores say how many contexts scoring would need memory for.
  const plan = workerPlan(job, { threads: availableParallelism() }, device);
  const inspected = child.inspect({ plan, detail, sets, jobs }, (message) => {
    if (message.kind === 'progress') onProgress?.(model, message.done, message.total);
    if (message.kind !== 'prompts' && message.kind !== 'lines') return;
    const dataset = job.jobs[message.job]?.dataset;
    if (dataset === undefined) return;
    if (message.kind === 'lines') onLines?.(model, dataset, message);
    else onPrompts?.(model, dataset, message.prompts, message.bos);
  });
  // Whoever ends a run does not wait until a large file or a slow template is through: the child is let go.
  const end = await untilAborted(inspected, signal);
  if (end === null) return [];
  if (end.kind === 'inspected') return [{ kind: 'inspected', model, facts: end.model }];
  return end.kind === 'failed' ? [{ kind: 'failed', model, reason: end.reason }] : [];
}

/** What comes first: the result, or null when the signal fires. */
async function untilAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result | null> {
  if (signal === undefined) return await result;
  let stop = () => {};
  const aborted = new Promise<null>((resolve) => {
    stop = () => resolve(null);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
