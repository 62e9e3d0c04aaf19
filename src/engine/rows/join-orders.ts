import { plainStem } from '../encode/plain-stem.js';
import { longestTail } from '../encode/prompt-size.js';
import { beginsWith } from '../encode/shared-tokens.js';
import type { EvaluationContext } from '../protocol/backend.js';
import type { JobPrompt } from './job-prompt.js';

/** A plain prompt and the other orders of its options, which take one sequence together. */
export type WithOrders = readonly [plain: JobPrompt, orders: JobPrompt];

interface JoinedJobs {
  readonly plain: readonly JobPrompt[];
  readonly orders: readonly JobPrompt[];
  /** Tokens that the context keeps for the plain job. */
  readonly shared: readonly number[];
  readonly context: EvaluationContext;
}

/** A pass of one token takes other kernels than any longer one. */
const LEAST_TAIL = 2;

/**
 * Puts the other orders of options behind the plain prompts with the same ids: what an example's orders begin with is
 * then evaluated once for all K of them. Left as they are: examples on which that saves nothing, since the plain prompt
 * parts from the others early, and on a processor those that one pass does not hold, where it could take other kernels.
 */
export function joinOrders({ plain, orders, shared, context }: JoinedJobs): WithOrders[] {
  const byId = new Map(orders.map((row) => [row.prompt.id, row]));
  return plain.flatMap((first): WithOrders[] => {
    const second = byId.get(first.prompt.id);
    if (first.prompt.kind !== 'ok' || second?.prompt.kind !== 'rotations') return [];
    const { tokens: own } = first.prompt;
    const { tokens: theirs, tails } = second.prompt;
    const stem = plainStem(first.prompt, second.prompt);
    const again = theirs.length - stem;
    const kept = beginsWith(own, shared) ? shared.length : 0;
    const longest = stem + again + longestTail(tails);
    const onePass = context.fills === true || Math.max(own.length, longest) <= context.batchSize;
    const long = own.length - stem >= LEAST_TAIL && tails.every(({ tokens }) => again + tokens.length >= LEAST_TAIL);
    if (stem <= kept || (tails.length - 1) * again >= stem - kept || !onePass || !long) return [];
    const tokens = tails.reduce((sum, tail) => sum + again + tail.tokens.length, 0);
    return [[first, { ...second, tokens }]];
  });
}
