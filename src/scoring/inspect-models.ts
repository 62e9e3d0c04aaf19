import type { InspectedModel, InspectedPrompt } from '../contract/inspection.js';
import type { ModelJob, ScoringSettings } from '../contract/scorer.js';
import type { InspectRequest } from '../engine/inspect/inspect-model.js';
import { planSlots } from './memory/plan-slots.js';
import { machineOf, workerPlan } from './memory/worker-plan.js';
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
  /** For tests: URL of a module that exports `backend: Backend`. */
  readonly backendModule?: string;
}

/**
 * Loads the vocabulary of each model in a child process, without weights, and tokenises its prompts under the plan that
 * scoring would follow. A file that cannot be read, or ends the process, is a `failed` inspection; the others go on.
 */
export async function inspectModels(
  models: readonly InspectionJob[],
  settings: Pick<ScoringSettings, 'device' | 'cores'>,
  options: InspectOptions,
): Promise<Inspection[]> {
  const stages = planSlots(
    models.map((each) => ({ id: each.model.id, bytes: each.place.bytes })),
    machineOf(settings),
  );
  const inspections: Inspection[] = [];
  let child: InspectChild | undefined;
  let ids = new Map<object, number>();
  try {
    for (const each of models) {
      if (options.signal?.aborted) break;
      if (!child?.alive) {
        child = inspectChild(options.backendModule ?? LLAMA_BACKEND);
        ids = new Map();
      }
      const stage = stages.find((candidate) => candidate.models.includes(each.model.id))!;
      const plan = workerPlan(each, stage, settings.device);
      const model = each.model.id;
      const sets = each.jobs.map(({ prompts }) => prompts).filter((prompts) => !ids.has(prompts));
      for (const prompts of sets) ids.set(prompts, ids.size);
      const request = {
        ...{ plan, detail: options.detail },
        sets: [...new Set(sets)].map((prompts) => ({ id: ids.get(prompts)!, prompts })),
        jobs: each.jobs.map(({ prompts }) => ids.get(prompts)!),
      };
      const end = await child.inspect(request, (message) => {
        if (message.kind !== 'prompts') return;
        options.onPrompts?.(model, each.jobs[message.job]!.dataset, message.prompts, message.bos);
      });
      if (end.kind === 'inspected') inspections.push({ kind: 'inspected', model, facts: end.model });
      else if (end.kind === 'failed') inspections.push({ kind: 'failed', model, reason: end.reason });
    }
  } finally {
    await child?.end();
  }
  return inspections;
}
