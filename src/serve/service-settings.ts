/** How a service answers, and where its limits are. */
export interface ServiceSettings {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** What callers must bring as `Authorization: Bearer ...`; null: nothing. */
  readonly token: string | null;
  /** Where requests of the OpenAI shape go; null: they are not answered. */
  readonly upstream: { readonly url: string; readonly key: string | null } | null;
  readonly limits: ServiceLimits;
}

export interface ServiceLimits {
  /** Bytes of a request. */
  readonly bodyBytes: number;
  /** Questions of one request. */
  readonly questions: number;
  /** Questions that may wait for a model: more are turned away at once. */
  readonly waiting: number;
  /** Time in which a request must have come in full. */
  readonly receiveMs: number;
  /** Time in which it is answered. */
  readonly answerMs: number;
}

export const DEFAULT_LIMITS: ServiceLimits = {
  bodyBytes: 1_048_576,
  questions: 256,
  waiting: 2048,
  receiveMs: 30_000,
  answerMs: 60_000,
};

/** Objects and lists inside each other that a request may have. */
export const MOST_LEVELS = 32;

/** Values of a list in a question, such as its options. */
export const MOST_OPTIONS = 256;

/** Whether nobody but this machine reaches a host name or address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
