import type { ScoredRow } from './scored-row.js';

type SoundRow = Extract<ScoredRow, { status: 'ok' }>;

/**
 * The row of all K orders of an example's options, made of its plain row and of the row of its orders 2 to K: the first
 * order leaves the options where they are, so it is the plain prompt. Its logits come first, its logZ stands for all,
 * and the option mass is the mean over the orders. `promptTokens` stays that of the other orders.
 */
export function withFirstOrder(
  plain: Pick<SoundRow, 'logits' | 'logZ' | 'optionMass'>,
  { id, logits: others, optionMass: mass, promptTokens }: SoundRow,
): SoundRow {
  const { length } = plain.logits;
  const logits = new Float32Array(length + others.length);
  logits.set(plain.logits);
  logits.set(others, length);
  const orders = length - 1;
  const optionMass = (plain.optionMass + orders * mass) / (1 + orders);
  return { status: 'ok', id, logits, logZ: plain.logZ, optionMass, promptTokens };
}

/** What a row of orders is when its first order failed for a reason. */
export function firstOrderFailed({ id, promptTokens }: SoundRow, reason: string): ScoredRow {
  return { status: 'failed', id, reason: `rotation 1: ${reason}`, promptTokens };
}
