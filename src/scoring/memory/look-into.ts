import type { InspectedModel } from '../../contract/inspection.js';
import type { ModelJob } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { type InspectChild, inspectChild } from '../process/inspect-child.js';

export interface FileLook {
  /** What a plan needs. Resolves with null when the file cannot be read. */
  look(plan: WorkerPlan): Promise<InspectedModel | null>;
  /** Tokens that each sequence gets, whatever the shape of a plan; null: no plan was looked into. */
  contextSize(): number | null;
  end(): Promise<void>;
}

/**
 * Looks into the file of a job, without its weights, for what plans of it need; in a process of its own that starts
 * with the first plan and tokenises the prompts once for all of them.
 */
export function lookInto(job: Pick<ModelJob, 'jobs'>, backendModule: string): FileLook {
  const sets = job.jobs.map(({ prompts }, id) => ({ id, prompts }));
  const jobs = sets.map(({ id }) => id);
  let contextSize: number | null = null;
  let child: InspectChild | undefined;
  return {
    async look(plan) {
      const brought = child === undefined ? sets : [];
      child ??= inspectChild(backendModule);
      const looked = await child.inspect({ plan, sets: brought, jobs, detail: 'nothing' }, () => {});
      if (looked.kind !== 'inspected') return null;
      ({ contextSize } = looked.model);
      return looked.model;
    },
    contextSize: () => contextSize,
    async end() {
      await child?.end();
    },
  };
}
