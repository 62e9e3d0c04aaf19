/** What one model asks of a card, in the units of the cost model. */
export interface ModelCost {
  /** Weights that a token is multiplied with, in billions. */
  readonly billions: number;
  readonly bytes: number;
}

/** Rates of one kind of machine, each measured or assumed as `RATES` says. */
export interface Rates {
  /** Tokens per second x billions of weights. */
  readonly tokenBillions: number;
  /** Tokens per second at most, however small the model: what goes from row to row takes its time too. */
  readonly mostTokens: number;
  /** Bytes per second from a file in the page cache to the card. */
  readonly load: number;
  /** Seconds to start a child and open its contexts. */
  readonly start: number;
  /** Bytes per second that a host fetches from the hub and hashes. */
  readonly fetch: number;
}

/** Seconds of scoring `tokens` tokens of prompts. */
export function scoringSeconds({ billions }: ModelCost, tokens: number, rates: Rates): number {
  return tokens / Math.min(rates.mostTokens, rates.tokenBillions / billions);
}

/** Seconds until the first row, from a file that is on the host. */
export function loadSeconds({ bytes }: ModelCost, rates: Rates): number {
  return rates.start + bytes / rates.load;
}

/** Seconds until a file of the hub is on the host. */
export function fetchSeconds({ bytes }: ModelCost, rates: Rates): number {
  return bytes / rates.fetch;
}
