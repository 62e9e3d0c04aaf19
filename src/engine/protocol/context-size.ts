import type { WorkerPlan } from './protocol.js';

/** Where prompts have the numbers of a pass of their own, sequences for company take no more tokens than this. */
const COMPANY_CELLS = 1024;

/**
 * Tokens of one sequence and number of sequences: few where every prompt has the numbers of a pass of its own. The size
 * is fixed by models.yaml or by the longest prompt (one cell more, since a full sequence would shift), never by free
 * memory.
 */
export function contextSizeFor(
  plan: WorkerPlan,
  longest: number,
  trainContextSize: number,
): { readonly contextSize: number; readonly sequences: number } {
  const contextSize = plan.contextSize ?? Math.min(longest, trainContextSize) + 1;
  const cells = plan.company === 'never' ? COMPANY_CELLS : (plan.cells ?? Number.POSITIVE_INFINITY);
  const most = Math.max(1, Math.floor(cells / contextSize));
  return { contextSize, sequences: Math.min(plan.sequences, most) };
}

/**
 * The plan in another shape. A number of sequences of one's own is what it says; only the default one shrinks for long
 * prompts.
 */
export function planInShape(
  plan: WorkerPlan,
  { contexts, sequences, batchSize }: Pick<WorkerPlan, 'contexts' | 'sequences' | 'batchSize'>,
): WorkerPlan {
  const { cells, ...others } = plan;
  const limited = sequences === plan.sequences && cells !== undefined;
  return { ...others, ...(limited && { cells }), contexts, sequences, batchSize };
}
