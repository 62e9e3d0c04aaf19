import { z } from 'zod';
import type { EndpointSpec } from '../../config/models-schema.js';
import { EndpointFault } from './endpoint-fault.js';
import type { HttpClient } from './http-client.js';
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
  };
}
