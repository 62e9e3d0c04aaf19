import { z } from 'zod';
import type { EndpointSpec } from '../../config/models-schema.js';
import type { HttpClient } from './http-client.js';
import {
  answerOf,
  logProbability,
  type NextToken,
  type ServedApi,
  type ServedPrompt,
  type Wanted,
} from './served-api.js';
import { servedName } from './served-name.js';
import { messagesOf } from './vllm-api.js';

const usage = z.object({ prompt_tokens: z.int() }).nullish();
const completion = z.object({
  choices: z
    .array(z.object({ logprobs: z.object({ top_logprobs: z.array(z.record(z.string(), z.number()).nullable()) }) }))
    .min(1),
  usage,
});
const chatCompletion = z.object({
  choices: z
    .array(
      z.object({
        logprobs: z.object({
          content: z
            .array(z.object({ top_logprobs: z.array(z.object({ token: z.string(), logprob: z.number() })) }))
            .min(1),
        }),
      }),
    )
    .min(1),
  usage,
});

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
  const answer = answerOf(
    completion,
    await client.ask('/v1/completions', {
      model: spec.model,
      prompt: prompt.text,
      max_tokens: 1,
      temperature: 0,
      logprobs: spec.top ?? TOP.completions,
      ...biasOf(wanted),
    }),
  );
  const found = Object.entries(answer.choices[0]?.logprobs.top_logprobs[0] ?? {});
  return nextToken(found, answer.usage?.prompt_tokens);
}

async function chat(spec: EndpointSpec, client: HttpClient, prompt: ServedPrompt, wanted: Wanted): Promise<NextToken> {
  const length = new URL(spec.url).hostname.endsWith('.openai.com') ? 'max_completion_tokens' : 'max_tokens';
  const answer = answerOf(
    chatCompletion,
    await client.ask('/v1/chat/completions', {
      model: spec.model,
      messages: messagesOf(prompt),
      [length]: 1,
      temperature: 0,
      logprobs: true,
      top_logprobs: spec.top ?? TOP.chat,
      ...biasOf(wanted),
    }),
  );
  const found = answer.choices[0]?.logprobs.content[0]?.top_logprobs ?? [];
  return nextToken(
    found.map(({ token, logprob }) => [token, logprob] as const),
    answer.usage?.prompt_tokens,
  );
}

function biasOf({ bias }: Wanted) {
  return bias === undefined ? {} : { logit_bias: Object.fromEntries(bias.ids.map((id) => [id, bias.by])) };
}

/** Where two tokens have one text (one of them made of bytes), the likelier counts, which servers list first. */
export function nextToken(found: readonly (readonly [string, number])[], promptTokens = 0): NextToken {
  const byText = new Map<string, number>();
  for (const [text, value] of found) {
    const logprob = logProbability(value);
    if (logprob !== null && !byText.has(text)) byText.set(text, logprob);
  }
  return { byId: new Map(), byText, promptTokens };
}
