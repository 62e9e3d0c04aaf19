import { z } from 'zod';
import type { EndpointSpec } from '../../../config/models-schema.js';
import { EndpointFault } from '../endpoint-fault.js';
import type { HttpClient } from '../http-client.js';
import { messagesOf } from './openai-answers.js';
import { byText } from './openai-api.js';
import { answerOf, type ServedApi } from './served-api.js';

const version = z.object({ version: z.string() });
const tags = z.object({ models: z.array(z.object({ name: z.string(), digest: z.string().optional() })) });
const scored = z.object({ token: z.string(), logprob: z.number() });
const answer = z.object({
  prompt_eval_count: z.int().optional(),
  logprobs: z.array(scored.extend({ top_logprobs: z.array(scored).optional() })).min(1),
});

const written = z.object({
  message: z.object({ content: z.string() }).optional(),
  response: z.string().optional(),
  done_reason: z.string().optional(),
  eval_count: z.int().optional(),
  prompt_eval_count: z.int().optional(),
});

/** Ollama gives at most so many. */
const TOP = 20;

/**
 * Ollama, releases from 0.12.11 on, which give log-probabilities: those of the most probable tokens, by their text. Its
 * own template frames chat prompts; a raw prompt goes to the model as it is.
 */
export function ollamaApi({ model, top = TOP }: EndpointSpec, client: HttpClient): ServedApi {
  const asked = {
    model,
    stream: false,
    think: false,
    options: { num_predict: 1, temperature: 0 },
    logprobs: true,
    top_logprobs: top,
  };
  return {
    named: false,
    async describe() {
      const { version: release } = answerOf(version, await client.ask('/api/version'));
      const { models } = answerOf(tags, await client.ask('/api/tags'));
      const served = models.find(({ name }) => name === model || name === `${model}:latest`);
      if (served === undefined) {
        const names = models.slice(0, 10).map(({ name }) => `"${name}"`);
        throw new EndpointFault('model', `the server has no "${model}"; it has ${names.join(', ') || 'no model'}`);
      }
      return { version: release, revision: served.digest ?? null };
    },
    async next(prompt) {
      const body = prompt.chat
        ? await client.ask('/api/chat', { ...asked, messages: messagesOf(prompt) })
        : await client.ask('/api/generate', { ...asked, prompt: prompt.text, raw: true });
      const { logprobs, prompt_eval_count: promptTokens = 0 } = answerOf(answer, body);
      const [first] = logprobs;
      const found = first === undefined ? [] : (first.top_logprobs ?? [first]);
      return byText({ found: found.map(({ token, logprob }) => [token, logprob] as const), promptTokens });
    },
    async reply(prompt, { temperature, seed, maxTokens }) {
      const drawn = { num_predict: maxTokens, temperature, seed, top_k: 0, top_p: 1 };
      const body = { model, stream: false, think: false, options: drawn };
      const text = prompt.chat
        ? await client.ask('/api/chat', { ...body, messages: messagesOf(prompt) })
        : await client.ask('/api/generate', { ...body, prompt: prompt.text, raw: true });
      const said = answerOf(written, text);
      return {
        text: said.message?.content ?? said.response ?? '',
        tokens: said.eval_count ?? 0,
        ended: said.done_reason !== 'length',
        promptTokens: said.prompt_eval_count ?? 0,
      };
    },
  };
}
