import { EndpointFault } from '../endpoint-fault.js';
import type { EchoedText, ServedPrompt } from './served-api.js';

/** How a server that tells its tokens is asked for those of a text. */
export interface TokenEcho {
  /** Tokens of the prompt in its frame, with a text after it. */
  readonly tokens: (prompt: ServedPrompt, then: string) => Promise<readonly number[]>;
  /** Log-probability of each token from number `from` on, given all before it; null where the server tells none. */
  readonly echo: (tokens: readonly number[], from: number) => Promise<readonly (number | null)[]>;
}

/** So many prompts at a time have their tokens remembered; all options of one come right after another. */
const REMEMBERED = 256;

/**
 * Scores of texts by the tokens that the server makes of prompt and text together, as files are scored: a token that
 * would hold the end of the one and the beginning of the other fails the row.
 */
export function echoedText({ tokens, echo }: TokenEcho): (prompt: ServedPrompt, text: string) => Promise<EchoedText> {
  const known = new Map<string, Promise<readonly number[]>>();
  const promptTokens = (prompt: ServedPrompt) => {
    const key = JSON.stringify(prompt);
    const found = known.get(key) ?? tokens(prompt, '');
    known.set(key, found);
    found.catch(() => known.delete(key));
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return found;
  };
  return async (prompt, text) => {
    const before = await promptTokens(prompt);
    const whole = await tokens(prompt, text);
    const after = whole.slice(before.length);
    if (after.length === 0 || before.some((id, n) => whole[n] !== id)) {
      const shown = JSON.stringify(text.slice(0, 40));
      throw new EndpointFault(
        'row',
        `the server makes other tokens of the prompt's end when ${shown} follows; give the data set another \`answerPrefix\``,
      );
    }
    const found = await echo(whole, before.length);
    const absent = found.indexOf(null);
    if (absent < 0 && found.length === after.length)
      return { tokens: after, logprobs: found as number[], promptTokens: before.length };
    throw new EndpointFault('row', `the server did not tell the log-probability of token ${absent + 1} of a text`);
  };
}
