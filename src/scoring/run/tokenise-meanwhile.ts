import type { ModelJob } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';

/** A smaller file is loaded sooner than its vocabulary is read once more. */
const LARGE_BYTES = 2 ** 31;
/** Fewer prompts take less than a second: 0.3 ms each, measured beside an H200. */
const MANY_PROMPTS = 4000;

/**
 * Whether a child should load the vocabulary of its model first, and tokenise while the weights come. On a CPU the rows
 * themselves take so long that nobody would notice.
 */
export function tokeniseMeanwhile({ jobs, place }: Pick<ModelJob, 'jobs' | 'place'>, plan: WorkerPlan): boolean {
  const prompts = jobs.reduce((sum, each) => sum + each.prompts.length, 0);
  return plan.device !== 'cpu' && place.bytes >= LARGE_BYTES && prompts >= MANY_PROMPTS;
}
