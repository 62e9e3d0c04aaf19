import { z } from 'zod';
import type { EndpointSpec } from '../../../config/models-schema.js';
import type { HttpClient } from '../http-client.js';
import { echoedText } from './echoed-text.js';
import {
  chatAnswer,
  completionAnswer,
  continuing,
  logitBias,
  type MostProbable,
  messagesOf,
} from './openai-answers.js';
import { replyRegex } from './reply-form.js';
import {
  answerOf,
  byTokenId,
  logProbability,
  type NextToken,
  type ServedApi,
  type ServedPrompt,
  type Wanted,
} from './served-api.js';
import { servedName } from './served-name.js';
import { writtenReply } from './written-reply.js';

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
    promptTokens: (prompt) => framedTokens(client, model, prompt, ''),
    next: (prompt, wanted) => (prompt.chat ? chat : complete)(client, model, prompt, wanted),
    textAfter: echoedText({
      tokens: (prompt, then) => framedTokens(client, model, prompt, then),
      echo: (ids, from) => promptLogprobs(client, model, ids, from),
    }),
    reply: (prompt, wanted) =>
      writtenReply(
        {
          client,
          model,
          fields: {
            ...(prompt.chat && continuing(prompt.reply)),
            ...(wanted.form !== null && { structured_outputs: { regex: replyRegex(wanted.form) } }),
          },
        },
        prompt,
        wanted,
      ),
  };
}

/** A chat prompt in the server's template, with the beginning of the reply and a text after it. */
async function framedTokens(client: HttpClient, model: string, prompt: ServedPrompt, then: string) {
  const { chat: isChat, text, reply } = prompt;
  const body = isChat
    ? { messages: messagesOf({ ...prompt, reply: reply + then }), ...continuing(reply + then) }
    : { prompt: text + then, add_special_tokens: true };
  return answerOf(tokens, await client.ask('/tokenize', { model, ...body })).tokens;
}

const echoed = z.object({
  choices: z.array(
    z.object({ prompt_logprobs: z.array(z.record(z.string(), z.object({ logprob: z.number() })).nullable()) }),
  ),
});

/** With 0 as their number, the log-probabilities of the prompt's own tokens come back and no others. */
async function promptLogprobs(client: HttpClient, model: string, ids: readonly number[], from: number) {
  const body = { model, prompt: ids, max_tokens: 1, temperature: 0, prompt_logprobs: 0 };
  const [choice] = answerOf(echoed, await client.ask('/v1/completions', body)).choices;
  return ids.slice(from).map((id, n) => logProbability(choice?.prompt_logprobs[from + n]?.[id]?.logprob));
}

async function complete(client: HttpClient, model: string, prompt: ServedPrompt, wanted: Wanted): Promise<NextToken> {
  const answer = await client.ask('/v1/completions', {
    model,
    prompt: prompt.text,
    ...ONE_TOKEN,
    ...named(wanted),
    logprobs: wanted.ids?.length ?? 0,
  });
  return namedById(completionAnswer(answer));
}

async function chat(client: HttpClient, model: string, prompt: ServedPrompt, wanted: Wanted): Promise<NextToken> {
  const answer = await client.ask('/v1/chat/completions', {
    model,
    messages: messagesOf(prompt),
    ...continuing(prompt.reply),
    ...ONE_TOKEN,
    ...named(wanted),
    logprobs: true,
    top_logprobs: wanted.ids?.length ?? 0,
  });
  return namedById(chatAnswer(answer));
}

function named({ ids, bias }: Wanted) {
  return { ...(ids !== null && { logprob_token_ids: ids }), ...logitBias(bias) };
}

/** Tokens are named `token_id:42`. */
function namedById({ found, promptTokens }: MostProbable): NextToken {
  const told = found.flatMap(([name, value]) => {
    const id = /^token_id:(\d+)$/.exec(name)?.[1];
    return id === undefined ? [] : [[Number(id), value] as const];
  });
  return { byId: byTokenId(told), byText: new Map(), promptTokens };
}
