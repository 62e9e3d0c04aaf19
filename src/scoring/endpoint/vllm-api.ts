import { z } from 'zod';
import type { EndpointSpec } from '../../config/models-schema.js';
import type { HttpClient } from './http-client.js';
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

const version = z.object({ version: z.string() });
const tokens = z.object({ tokens: z.array(z.int()) });

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
  const answer = await client.ask('/v1/completions', {
    model,
    prompt: prompt.text,
    ...ONE_TOKEN,
    ...named(wanted),
    logprobs: wanted.ids?.length ?? 0,
  });
  return byTokenId(completionAnswer(answer));
}

async function chat(client: HttpClient, model: string, prompt: ServedPrompt, wanted: Wanted): Promise<NextToken> {
  const answer = await client.ask('/v1/chat/completions', {
    model,
    messages: messagesOf(prompt),
    ...(prompt.reply !== '' && { add_generation_prompt: false, continue_final_message: true }),
    ...ONE_TOKEN,
    ...named(wanted),
    logprobs: true,
    top_logprobs: wanted.ids?.length ?? 0,
  });
  return byTokenId(chatAnswer(answer));
}

function named({ ids, bias }: Wanted) {
  return { ...(ids !== null && { logprob_token_ids: ids }), ...logitBias(bias) };
}

/** Tokens are named `token_id:42`. */
function byTokenId({ found, promptTokens }: MostProbable): NextToken {
  const byId = new Map<number, number>();
  for (const [name, value] of found) {
    const id = /^token_id:(\d+)$/.exec(name)?.[1];
    const logprob = logProbability(value);
    if (id !== undefined && logprob !== null) byId.set(Number(id), logprob);
  }
  return { byId, byText: new Map(), promptTokens };
}
