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

const version = z.object({ version: z.string() });
const tokens = z.object({ tokens: z.array(z.int()) });
const logProbabilities = z.record(z.string(), z.number().nullable());
const completion = z.object({
  choices: z.array(z.object({ logprobs: z.object({ top_logprobs: z.array(logProbabilities.nullable()) }) })).min(1),
  usage: z.object({ prompt_tokens: z.int() }).optional(),
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
  usage: z.object({ prompt_tokens: z.int() }).optional(),
});

const ONE_TOKEN = { max_tokens: 1, temperature: 0, return_tokens_as_token_ids: true } as const;

/**
 * vLLM, as of release 0.33: `logprob_token_ids` names the tokens, in completions and in chat completions. A release
 * that does not know the field answers with the most probable tokens alone, which `scoreOptions` notices.
 */
export function vllmApi({ model }: EndpointSpec, client: HttpClient): ServedApi {
  return {
    named: true,
    async describe() {
      const [{ version: release }, revision] = [
        answerOf(version, await client.ask('/version')),
        await servedName(client, model),
      ];
      return { version: release, revision };
    },
    async tokenize(text, start) {
      const body = { model, prompt: text, add_special_tokens: start === 'with-start-token' };
      return answerOf(tokens, await client.ask('/tokenize', body)).tokens;
    },
    next: (prompt, wanted) => (prompt.chat ? chat : complete)(client, model, prompt, wanted),
  };
}

async function complete(client: HttpClient, model: string, prompt: ServedPrompt, wanted: Wanted): Promise<NextToken> {
  const { choices, usage } = answerOf(
    completion,
    await client.ask('/v1/completions', {
      model,
      prompt: prompt.text,
      ...ONE_TOKEN,
      ...named(wanted),
      logprobs: wanted.ids?.length ?? 0,
    }),
  );
  const found = Object.entries(choices[0]?.logprobs.top_logprobs[0] ?? {});
  return { ...byTokenId(found), promptTokens: usage?.prompt_tokens ?? 0 };
}

async function chat(client: HttpClient, model: string, prompt: ServedPrompt, wanted: Wanted): Promise<NextToken> {
  const { choices, usage } = answerOf(
    chatCompletion,
    await client.ask('/v1/chat/completions', {
      model,
      messages: messagesOf(prompt),
      ...(prompt.reply !== '' && { add_generation_prompt: false, continue_final_message: true }),
      ...ONE_TOKEN,
      ...named(wanted),
      logprobs: true,
      top_logprobs: wanted.ids?.length ?? 0,
    }),
  );
  const found = choices[0]?.logprobs.content[0]?.top_logprobs ?? [];
  return {
    ...byTokenId(found.map(({ token, logprob }) => [token, logprob] as const)),
    promptTokens: usage?.prompt_tokens ?? 0,
  };
}

function named({ ids, bias }: Wanted) {
  return {
    ...(ids !== null && { logprob_token_ids: ids }),
    ...(bias !== undefined && { logit_bias: Object.fromEntries(bias.ids.map((id) => [id, bias.by])) }),
  };
}

export function messagesOf({ text, reply }: ServedPrompt) {
  const question = { role: 'user', content: text };
  return reply === '' ? [question] : [question, { role: 'assistant', content: reply }];
}

/** Tokens are named `token_id:42`. */
function byTokenId(found: readonly (readonly [string, number | null])[]): Pick<NextToken, 'byId' | 'byText'> {
  const byId = new Map<number, number>();
  for (const [name, value] of found) {
    const id = /^token_id:(\d+)$/.exec(name)?.[1];
    const logprob = logProbability(value);
    if (id !== undefined && logprob !== null) byId.set(Number(id), logprob);
  }
  return { byId, byText: new Map() };
}
