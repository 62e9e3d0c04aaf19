/** What one model asks of a card, in the units of the cost model. */
export interface ModelCost {
  /** Weights that a token is multiplied with, in billions. */
  readonly billions: number;
  readonly bytes: number;
}

/** Rates of one kind of machine. */
export interface Rates {
  /** Tokens per second x billions of weights. */
  readonly tokenBillions: number;
  /** Tokens per second at most, however small the model: what goes from row to row takes its time too. */
  readonly mostTokens: number;
  /** Bytes per second from a file in the page cache to the card. */
  readonly load: number;
  /** Seconds to start a child and open its contexts. */
  readonly start: number;
  /** Seconds to tokenise a prompt. In the recorded runs every card did that for all prompts before its first batch. */
  readonly tokenise: number;
  /** Bytes per second that a host fetches from the hub and hashes. */
  readonly fetch: number;
}

/**
 * One H200 of a host of 16 cores. Measured: the speed of an 8B model in Q8_0 (28,149 tokens/s, bench/gpu/README.md);
 * of the 8.4 s before its first rows (docs/cards.md) 3.3 s for process, library and contexts, 0.3 ms a prompt of 167
 * tokens to tokenise, and 2.6 s for the 8.7 GB of the file, which was in memory. Assumed: the most tokens, as nothing
 * smaller than 8B was measured on a card, and 1 GB/s from the hub.
 */
export const H200: Rates = {
  tokenBillions: 28_149 * 8.2,
  mostTokens: 200_000,
  load: 3.3e9,
  start: 3.3,
  tokenise: 0.0003,
  fetch: 1e9,
};

/** Seconds of scoring `tokens` tokens of prompts. */
export function scoringSeconds({ billions }: ModelCost, tokens: number, rates: Rates): number {
  return tokens / Math.min(rates.mostTokens, rates.tokenBillions / billions);
}

/** Seconds until the first row, from a file that is on the host. */
export function loadSeconds({ bytes }: ModelCost, rates: Rates): number {
  return rates.start + bytes / rates.load;
}

/** Seconds of tokenising so many prompts. */
export function tokeniseSeconds(rows: number, rates: Rates): number {
  return rows * rates.tokenise;
}

/** Seconds until a file of the hub is on the host. */
export function fetchSeconds({ bytes }: ModelCost, rates: Rates): number {
  return bytes / rates.fetch;
}
