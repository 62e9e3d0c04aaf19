import { z } from 'zod';
import type { EndpointSpec } from '../../../config/models-schema.js';
import { EndpointFault } from '../endpoint-fault.js';
import type { HttpClient } from '../http-client.js';
import { echoedText } from './echoed-text.js';
import { replyGrammar } from './reply-form.js';
import {
  answerOf,
  byTokenId,
  type NextToken,
  type ServedApi,
  type ServedPrompt,
  type WantedReply,
  type WrittenReply,
} from './served-api.js';

const props = z.object({
  build_info: z.string().optional(),
  model_alias: z.string().optional(),
  model_path: z.string().optional(),
});
const models = z.object({
  data: z.array(z.object({ id: z.string(), meta: z.record(z.string(), z.unknown()).nullish() })),
});
const tokens = z.object({ tokens: z.array(z.int()) });
const framed = z.object({ prompt: z.string() });
const candidate = z.object({ id: z.int(), logprob: z.number() });
const completion = z.object({
  tokens_evaluated: z.int().optional(),
  completion_probabilities: z.array(candidate.extend({ top_logprobs: z.array(candidate) })).min(1),
});

/** The options of a question that a model understands are nearly always among so many. */
const USUAL_TOP = 20;
/** Enough for greedy decoding to take the token, whatever the logits are. */
const CERTAIN = 1000;

/**
 * llama-server of llama.cpp, as of release b9995 (0.5). Log-probabilities are those before any bias. It names no
 * tokens, but a bias makes it take the token that is asked for, and it tells the log-probability of the token it took:
 * an option that is not among the most probable tokens costs one more request, over a prompt that is in its cache.
 */
export function llamaServerApi({ model, top = USUAL_TOP }: EndpointSpec, client: HttpClient): ServedApi {
  return {
    named: true,
    async describe() {
      const { build_info: build, model_alias: alias, model_path: path } = answerOf(props, await client.ask('/props'));
      const { data } = answerOf(models, await client.ask('/v1/models'));
      const served = data.find(({ id }) => id === model);
      const names = [...new Set([...data.map(({ id }) => id), alias ?? ''])].filter((name) => name !== '');
      if (served === undefined && alias !== model)
        throw new EndpointFault('model', `the server serves no "${model}"; it has "${names.join('", "')}"`);
      const { n_params: parameters, size, n_vocab: vocabulary } = served?.meta ?? {};
      const file = path?.split(/[\\/]/).pop() ?? null;
      return {
        version: build ?? null,
        revision: [file, parameters, size, vocabulary].filter(Boolean).join(' ') || null,
      };
    },
    tokenize: (text, start) => tokenize(client, { text, addStart: start === 'with-start-token', readControl: false }),
    promptTokens: (prompt) => promptTokens(client, prompt),
    async next(prompt, wanted) {
      const ids = await promptTokens(client, prompt);
      const first = await complete(client, ids, { top });
      const byId = new Map(first.byId);
      for (const id of wanted.ids ?? []) {
        if (byId.has(id)) continue;
        const taken = await complete(client, ids, { top: 1, take: id });
        const logprob = taken.byId.get(id);
        if (logprob !== undefined) byId.set(id, logprob);
      }
      return { ...first, byId };
    },
    textAfter: echoedText({
      tokens: (prompt, then) => promptTokens(client, prompt, then),
      echo: (ids, from) => takenOneByOne(client, ids, from),
    }),
    async reply(prompt, wanted) {
      return write(client, await promptTokens(client, prompt), wanted);
    },
  };
}

/** It tells no log-probabilities of a prompt, but that of a token which it is made to take, over a prompt it knows. */
async function takenOneByOne(client: HttpClient, ids: readonly number[], from: number): Promise<(number | null)[]> {
  const found: (number | null)[] = [];
  for (let n = from; n < ids.length; n++) {
    const id = ids[n] ?? -1;
    const { byId } = await complete(client, ids.slice(0, n), { top: 1, take: id });
    found.push(byId.get(id) ?? null);
  }
  return found;
}

const written = z.object({
  content: z.string(),
  tokens_predicted: z.int().optional(),
  stop_type: z.string().optional(),
});

async function write(
  client: HttpClient,
  ids: readonly number[],
  { temperature, seed, maxTokens, form }: WantedReply,
): Promise<WrittenReply> {
  const answer = answerOf(
    written,
    await client.ask('/completion', {
      prompt: ids,
      n_predict: maxTokens,
      temperature,
      seed,
      // The most probable tokens alone would be drawn from, by its own settings.
      top_k: 0,
      top_p: 1,
      min_p: 0,
      cache_prompt: true,
      ...(form !== null && { grammar: replyGrammar(form) }),
    }),
  );
  const ended = answer.stop_type !== 'limit';
  return { text: answer.content, tokens: answer.tokens_predicted ?? 0, ended, promptTokens: ids.length };
}

/** Text of the data is never a control token; the server's own template may hold some. */
async function promptTokens(client: HttpClient, prompt: ServedPrompt, then = ''): Promise<readonly number[]> {
  if (!prompt.chat) return tokenize(client, { text: prompt.text + then, addStart: true, readControl: false });
  const messages = [{ role: 'user', content: prompt.text }];
  const { prompt: text } = answerOf(framed, await client.ask('/apply-template', { messages }));
  return tokenize(client, { text: text + prompt.reply + then, addStart: true, readControl: true });
}

interface Tokenized {
  readonly text: string;
  readonly addStart: boolean;
  readonly readControl: boolean;
}

async function tokenize(client: HttpClient, { text, addStart, readControl }: Tokenized): Promise<readonly number[]> {
  const body = { content: text, add_special: addStart, parse_special: readControl };
  return answerOf(tokens, await client.ask('/tokenize', body)).tokens;
}

async function complete(
  client: HttpClient,
  prompt: readonly number[],
  { top, take }: { readonly top: number; readonly take?: number },
): Promise<NextToken> {
  const answer = answerOf(
    completion,
    await client.ask('/completion', {
      prompt,
      n_predict: 1,
      temperature: 0,
      n_probs: top,
      cache_prompt: true,
      // All its settings and the prompt would come back with every answer.
      response_fields: ['tokens_evaluated', 'completion_probabilities'],
      ...(take !== undefined && { logit_bias: [[take, CERTAIN]] }),
    }),
  );
  const [chosen] = answer.completion_probabilities;
  const told = chosen === undefined ? [] : [...chosen.top_logprobs, chosen];
  const byId = byTokenId(told.map(({ id, logprob }) => [id, logprob] as const));
  return { byId, byText: new Map(), promptTokens: answer.tokens_evaluated ?? prompt.length };
}
