import { z } from 'zod';
import type { EndpointSpec } from '../../../config/models-schema.js';
import type { HttpClient } from '../http-client.js';
import { echoedText } from './echoed-text.js';
import { logitBias, messagesOf } from './openai-answers.js';
import { replyRegex } from './reply-form.js';
import {
  answerOf,
  byTokenId,
  logProbability,
  type NextToken,
  type ServedApi,
  type ServedPrompt,
  type Wanted,
  type WantedReply,
  type WrittenReply,
} from './served-api.js';
import { servedName } from './served-name.js';

const serverInfo = z.object({ version: z.string().optional() });
const modelInfo = z.object({ weight_version: z.union([z.string(), z.number()]).nullish() });
const tokens = z.object({ tokens: z.array(z.int()) });
/** [log-probability, token id, text or null] */
const scoredToken = z.tuple([z.number().nullable(), z.int()]).rest(z.unknown());
const generated = z.object({
  meta_info: z.object({
    prompt_tokens: z.int().optional(),
    output_token_ids_logprobs: z.array(z.array(scoredToken).nullable()).min(1),
  }),
});

/**
 * SGLang, as of release 0.5.23: `/generate` with `token_ids_logprob`. A chat prompt is framed and tokenised by
 * `/tokenize` first, since no chat interface of it names tokens.
 */
export function sglangApi({ model }: EndpointSpec, client: HttpClient): ServedApi {
  return {
    named: true,
    async describe() {
      const { version } = answerOf(serverInfo, await client.ask('/server_info'));
      const { weight_version: weights } = answerOf(modelInfo, await client.ask('/model_info'));
      const root = await servedName(client, model);
      const revision = [root, weights].filter((each) => each !== null && each !== undefined).join(' ');
      return { version: version ?? null, revision: revision === '' ? null : revision };
    },
    async tokenize(text, start) {
      const body = { model, prompt: text, add_special_tokens: start === 'with-start-token' };
      return answerOf(tokens, await client.ask('/tokenize', body)).tokens;
    },
    promptTokens: (prompt) => framedTokens(client, model, prompt, ''),
    next: async (prompt, wanted) =>
      generate(
        client,
        prompt.chat ? { input_ids: await chatTokens(client, model, prompt) } : { text: prompt.text },
        wanted,
      ),
    textAfter: echoedText({
      tokens: (prompt, then) => framedTokens(client, model, prompt, then),
      echo: (ids, from) => inputLogprobs(client, ids, from),
    }),
    reply: async (prompt, wanted) => write(client, await framedTokens(client, model, prompt, ''), wanted),
  };
}

async function framedTokens(client: HttpClient, model: string, prompt: ServedPrompt, then: string) {
  if (prompt.chat) return chatTokens(client, model, { ...prompt, reply: prompt.reply + then });
  const body = { model, prompt: prompt.text + then, add_special_tokens: true };
  return answerOf(tokens, await client.ask('/tokenize', body)).tokens;
}

const echoed = z.object({ meta_info: z.object({ input_token_logprobs: z.array(scoredToken) }) });

/** The list begins with the token at `logprob_start_len`, of which it may tell nothing: one more is asked for. */
async function inputLogprobs(client: HttpClient, ids: readonly number[], from: number) {
  const { meta_info: info } = answerOf(
    echoed,
    await client.ask('/generate', {
      input_ids: ids,
      sampling_params: { max_new_tokens: 1, temperature: 0 },
      return_logprob: true,
      logprob_start_len: Math.max(0, from - 1),
    }),
  );
  const after = ids.slice(from);
  const told = info.input_token_logprobs.slice(-after.length);
  return after.map((id, n) => (told[n]?.[1] === id ? logProbability(told[n]?.[0]) : null));
}

const written = z.object({
  text: z.string(),
  meta_info: z.object({
    prompt_tokens: z.int().optional(),
    completion_tokens: z.int().optional(),
    finish_reason: z.looseObject({ type: z.string() }).nullish(),
  }),
});

async function write(
  client: HttpClient,
  ids: readonly number[],
  { temperature, seed, maxTokens, form }: WantedReply,
): Promise<WrittenReply> {
  const regex = form === null ? {} : { regex: replyRegex(form) };
  const sampling = { temperature, max_new_tokens: maxTokens, sampling_seed: seed, ...regex };
  const { text, meta_info: info } = answerOf(
    written,
    await client.ask('/generate', { input_ids: ids, sampling_params: sampling }),
  );
  const ended = info.finish_reason?.type !== 'length';
  return { text, tokens: info.completion_tokens ?? 0, ended, promptTokens: info.prompt_tokens ?? ids.length };
}

async function chatTokens(client: HttpClient, model: string, prompt: ServedPrompt): Promise<readonly number[]> {
  const body = { model, messages: messagesOf(prompt), ...(prompt.reply !== '' && { continue_final_message: true }) };
  return answerOf(tokens, await client.ask('/tokenize', body)).tokens;
}

async function generate(client: HttpClient, input: object, { ids, bias }: Wanted): Promise<NextToken> {
  const { meta_info: info } = answerOf(
    generated,
    await client.ask('/generate', {
      ...input,
      sampling_params: {
        max_new_tokens: 1,
        temperature: 0,
        ...logitBias(bias),
      },
      return_logprob: true,
      logprob_start_len: -1,
      token_ids_logprob: ids ?? [],
    }),
  );
  const byId = byTokenId((info.output_token_ids_logprobs[0] ?? []).map(([value, id]) => [id, value] as const));
  return { byId, byText: new Map(), promptTokens: info.prompt_tokens ?? 0 };
}
