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
  /** So many of a model's prompts are tokenised. */
  onProgress?(model: string, done: number, total: number): void;
  /** For tests: URL of a module that exports `backend: Backend`. */
  readonly backendModule?: string;
}

/**
 * Loads the vocabulary of each model in a child process, without weights, and tokenises its prompts under the plan that
 * scoring would follow. A file that cannot be read, or ends the process, is a `failed` inspection; the others go on.
 */
export async function inspectModels(
  models: readonly InspectionJob[],
  { device }: Pick<ScoringSettings, 'device'>,
  options: InspectOptions,
): Promise<Inspection[]> {
  const inspections: Inspection[] = [];
  let inspector: Inspector | undefined;
  try {
    for (const each of models) {
      if (options.signal?.aborted) break;
      if (!inspector?.child.alive) inspector = new Inspector(options);
      inspections.push(...(await inspector.inspect(each, deviceFor(each.model, device))));
    }
  } finally {
    await inspector?.child.end();
  }
  return inspections;
}

/** One child process with the sets of prompts that it was sent. */
class Inspector {
  readonly child: InspectChild;
  readonly #ids = new Map<InspectionJob['jobs'][number]['prompts'], number>();

  constructor(private readonly options: InspectOptions) {
    this.child = inspectChild(options.backendModule ?? LLAMA_BACKEND);
  }

  async inspect(job: InspectionJob, device: Device): Promise<Inspection[]> {
    const model = job.model.id;
    const { onPrompts, onProgress, detail } = this.options;
    const sets: PromptSet[] = [];
    const jobs = job.jobs.map(({ prompts }) => {
      const known = this.#ids.get(prompts);
      if (known !== undefined) return known;
      const id = this.#ids.size;
      this.#ids.set(prompts, id);
      sets.push({ id, prompts });
      return id;
    });
    // Vocabularies alone are loaded; the cores say how many contexts scoring would need memory for.
    const plan = workerPlan(job, { threads: availableParallelism() }, device);
    const inspected = this.child.inspect({ plan, detail, sets, jobs }, (message) => {
      if (message.kind === 'progress') onProgress?.(model, message.done, message.total);
      if (message.kind !== 'prompts') return;
      const dataset = job.jobs[message.job]?.dataset;
      if (dataset !== undefined) onPrompts?.(model, dataset, message.prompts, message.bos);
    });
    // Whoever ends a run does not wait until a large file or a slow template is through: the child is let go.
    const end = await untilAborted(inspected, this.options.signal);
    if (end === null) return [];
    if (end.kind === 'inspected') return [{ kind: 'inspected', model, facts: end.model }];
    return end.kind === 'failed' ? [{ kind: 'failed', model, reason: end.reason }] : [];
  }
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
