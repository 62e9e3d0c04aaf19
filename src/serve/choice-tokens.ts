/** The first token of a reply that is not blank, and what the model gave to the tokens that might have stood there. */
export interface FirstToken {
  readonly token: string;
  /** Text of a token to its log-probability; only the most probable ones are known. */
  readonly top: ReadonlyMap<string, number>;
}

/** A choice of an OpenAI-shaped reply; everything in it is somebody else's and may be anything. */
export type Choice = Readonly<Record<string, unknown>>;

/**
 * Where the answer stands, by the log-probabilities of a choice: those of chats (`logprobs.content`), which
 * llama-server gives for completions too, or those of completions (`logprobs.tokens` and `top_logprobs`). null: there
 * are none.
 */
export function firstToken(choice: Choice): FirstToken | null {
  const logprobs = asRecord(choice.logprobs);
  const content = asList(logprobs.content).map(asRecord);
  if (content.length > 0) {
    const first = content.find(({ token }) => isText(token) && token.trim() !== '');
    if (first === undefined) return null;
    const top = asList(first.top_logprobs).map(asRecord);
    return withItself(
      first.token,
      first.logprob,
      top.map(({ token, logprob }) => [token, logprob] as const),
    );
  }
  const tokens = asList(logprobs.tokens);
  const at = tokens.findIndex((token) => isText(token) && token.trim() !== '');
  if (at === -1) return null;
  const top = Object.entries(asRecord(asList(logprobs.top_logprobs)[at]));
  return withItself(tokens[at], asList(logprobs.token_logprobs)[at], top);
}

function withItself(
  token: unknown,
  logprob: unknown,
  top: readonly (readonly [unknown, unknown])[],
): FirstToken | null {
  if (!isText(token)) return null;
  const known = new Map<string, number>();
  for (const [text, value] of [[token, logprob] as const, ...top])
    if (isText(text) && typeof value === 'number' && value <= 0) known.set(text, value);
  return { token, top: known };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
