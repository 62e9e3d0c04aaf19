import { z } from 'zod';
import type { EndpointSpec } from '../../../config/models-schema.js';
import { EndpointFault } from '../endpoint-fault.js';
import type { HttpClient } from '../http-client.js';
import { chatAnswer, completionAnswer, logitBias, type MostProbable, messagesOf } from './openai-answers.js';
import {
  answerOf,
  logProbability,
  type NextToken,
  type ServedApi,
  type ServedPrompt,
  type Wanted,
} from './served-api.js';
import { servedName } from './served-name.js';
import { writtenReply } from './written-reply.js';

/** What OpenAI's own servers give at most. */
const TOP = { completions: 5, chat: 20 } as const;

/** Any server that speaks OpenAI's interface: the most probable tokens come back, by their text. */
export function openaiApi(spec: EndpointSpec, client: HttpClient): ServedApi {
  return {
    named: false,
    describe: async () => ({ version: null, revision: await servedName(client, spec.model) }),
    next: (prompt, wanted) => (prompt.chat ? chat : complete)(spec, client, prompt, wanted),
    textAfter: echoByOffsets(spec, client),
    reply: (prompt, wanted) =>
      writtenReply({ client, model: spec.model, fields: {}, length: lengthField(spec) }, prompt, wanted),
  };
}

const echoed = z.object({
  choices: z
    .array(
      z.object({
        logprobs: z.object({
          tokens: z.array(z.string()),
          token_logprobs: z.array(z.number().nullable()),
          text_offset: z.array(z.int()),
        }),
      }),
    )
    .min(1),
});

/** The tokens of the echoed prompt that lie in the text, by the places that the server gives them. */
function echoByOffsets({ model }: EndpointSpec, client: HttpClient): NonNullable<ServedApi['textAfter']> {
  const numbers = new Map<string, number>();
  const numberOf = (token: string) => {
    const known = numbers.get(token) ?? numbers.size;
    numbers.set(token, known);
    return known;
  };
  return async (prompt, text) => {
    if (prompt.chat) throw new EndpointFault('row', 'a chat interface of OpenAI echoes no prompt; take `prompt: raw`');
    const body = { model, prompt: prompt.text + text, max_tokens: 1, temperature: 0, echo: true, logprobs: 1 };
    const [choice] = answerOf(echoed, await client.ask('/v1/completions', body)).choices;
    const { tokens = [], token_logprobs: values = [], text_offset: places = [] } = choice?.logprobs ?? {};
    // Places count code points, as Python does.
    const [from, to] = [Array.from(prompt.text).length, Array.from(prompt.text + text).length];
    const inside = places.flatMap((place, n) => (place >= from && place < to ? [n] : []));
    const logprobs = inside.map((n) => logProbability(values[n]));
    if (inside.length === 0 || places[inside[0] ?? 0] !== from || logprobs.includes(null))
      throw new EndpointFault('row', `the server echoes no tokens of ${JSON.stringify(text.slice(0, 40))} alone`);
    const ids = inside.map((n) => numberOf(tokens[n] ?? ''));
    return { tokens: ids, logprobs: logprobs as number[], promptTokens: inside[0] ?? 0 };
  };
}

/** OpenAI's own chat models refuse the older field, which all others know. */
function lengthField({ url }: EndpointSpec): string {
  return new URL(url).hostname.endsWith('.openai.com') ? 'max_completion_tokens' : 'max_tokens';
}

async function complete(spec: EndpointSpec, client: HttpClient, prompt: ServedPrompt, wanted: Wanted) {
  const answer = await client.ask('/v1/completions', {
    model: spec.model,
    prompt: prompt.text,
    max_tokens: 1,
    temperature: 0,
    logprobs: spec.top ?? TOP.completions,
    ...logitBias(wanted.bias),
  });
  return byText(completionAnswer(answer));
}

async function chat(spec: EndpointSpec, client: HttpClient, prompt: ServedPrompt, wanted: Wanted): Promise<NextToken> {
  const answer = await client.ask('/v1/chat/completions', {
    model: spec.model,
    messages: messagesOf(prompt),
    [lengthField(spec)]: 1,
    temperature: 0,
    logprobs: true,
    top_logprobs: spec.top ?? TOP.chat,
    ...logitBias(wanted.bias),
  });
  return byText(chatAnswer(answer));
}

/** Where two tokens have one text (one of them is made of bytes), the likelier counts, wherever it is listed. */
export function byText({ found, promptTokens }: MostProbable): NextToken {
  const texts = new Map<string, number>();
  for (const [text, value] of found) {
    const logprob = logProbability(value);
    if (logprob !== null) texts.set(text, Math.max(logprob, texts.get(text) ?? logprob));
  }
  return { byId: new Map(), byText: texts, promptTokens };
}
