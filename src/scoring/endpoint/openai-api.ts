import type { EndpointSpec } from '../../config/models-schema.js';
import type { HttpClient } from './http-client.js';
import { chatAnswer, completionAnswer, logitBias, type MostProbable, messagesOf } from './openai-answers.js';
import { logProbability, type NextToken, type ServedApi, type ServedPrompt, type Wanted } from './served-api.js';
import { servedName } from './served-name.js';

/** What OpenAI's own servers give at most. */
const TOP = { completions: 5, chat: 20 } as const;

/** Any server that speaks OpenAI's interface: the most probable tokens come back, by their text. */
export function openaiApi(spec: EndpointSpec, client: HttpClient): ServedApi {
  return {
    named: false,
    describe: async () => ({ version: null, revision: await servedName(client, spec.model) }),
    next: (prompt, wanted) => (prompt.chat ? chat : complete)(spec, client, prompt, wanted),
  };
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
  const length = new URL(spec.url).hostname.endsWith('.openai.com') ? 'max_completion_tokens' : 'max_tokens';
  const answer = await client.ask('/v1/chat/completions', {
    model: spec.model,
    messages: messagesOf(prompt),
    [length]: 1,
    temperature: 0,
    logprobs: true,
    top_logprobs: spec.top ?? TOP.chat,
    ...logitBias(wanted.bias),
  });
  return byText(chatAnswer(answer));
}

/** Where two tokens have one text (one of them is made of bytes), the likelier counts, which servers list first. */
export function byText({ found, promptTokens }: MostProbable): NextToken {
  const texts = new Map<string, number>();
  for (const [text, value] of found) {
    const logprob = logProbability(value);
    if (logprob !== null && !texts.has(text)) texts.set(text, logprob);
  }
  return { byId: new Map(), byText: texts, promptTokens };
}
