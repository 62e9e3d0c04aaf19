import type { InspectedModel } from '../../contract/inspection.js';
import type { ModelJob } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { type InspectChild, inspectChild } from '../process/inspect-child.js';

/** The needs of the whole plan, and of one context with one sequence. */
export interface LookedInto {
  readonly whole: InspectedModel;
  readonly alone: InspectedModel;
}

export interface FileLook {
  /** Resolves with null when the file cannot be read. */
  look(plan: WorkerPlan): Promise<LookedInto | null>;
  end(): Promise<void>;
}

/**
 * Looks into the file of a job, without its weights, for what plans of it need; in a process of its own that starts
 * with the first plan and tokenises the prompts once for all of them.
 */
export function lookInto(job: Pick<ModelJob, 'jobs'>, backendModule: string): FileLook {
  const sets = job.jobs.map(({ prompts }, id) => ({ id, prompts }));
  const jobs = sets.map(({ id }) => id);
  let child: InspectChild | undefined;
  return {
    async look(plan) {
      const brought = child === undefined ? sets : [];
      child ??= inspectChild(backendModule);
      const whole = await child.inspect({ plan, sets: brought, jobs, detail: 'nothing' }, () => {});
      if (whole.kind !== 'inspected') return null;
      const single = { ...plan, sequences: 1, contexts: 1 };
      const alone = await child.inspect({ plan: single, sets: [], jobs, detail: 'nothing' }, () => {});
      return alone.kind === 'inspected' ? { whole: whole.model, alone: alone.model } : null;
    },
    async end() {
      await child?.end();
    },
  };
}
