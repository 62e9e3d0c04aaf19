import type { WorkerPlan } from './protocol.js';

/**
 * Tokens of one sequence and number of sequences: one where every prompt has a pass of its own. The size is fixed by
 * models.yaml or by the longest prompt (one cell more, since a full sequence would shift), never by free memory.
 */
export function contextSizeFor(
  plan: WorkerPlan,
  longest: number,
  trainContextSize: number,
): { readonly contextSize: number; readonly sequences: number } {
  const contextSize = plan.contextSize ?? Math.min(longest, trainContextSize) + 1;
  const most = Math.max(1, Math.floor((plan.cells ?? Number.POSITIVE_INFINITY) / contextSize));
  return { contextSize, sequences: plan.company === 'never' ? 1 : Math.min(plan.sequences, most) };
}
