import type { ModelInfo } from './protocol/backend.js';
import type { WorkerPlan } from './protocol/protocol.js';

/**
 * Whether the other orders of an example's options may go on from what its plain prompt left in its sequence. On a card
 * they always may: there the prompts of a batch move the last digits of a logit anyway. On a processor the numbers must
 * be those of a stem by itself: where a row of activations has the same sums in every company of two and more, nothing
 * tells a token that was evaluated with one prompt from the same token in a pass with another. K-quants that llama.cpp
 * repacks treat the last tokens of a pass in another way, so that their stems are evaluated anew.
 */
export function leavesStems(
  { rewinds, exactInCompany }: Pick<ModelInfo, 'rewinds' | 'exactInCompany'>,
  { device, flashAttention, lora = [], kvType }: WorkerPlan,
): boolean {
  if (!rewinds || device !== 'cpu') return rewinds;
  return exactInCompany === true && flashAttention === 'off' && lora.length === 0 && kvType === undefined;
}
