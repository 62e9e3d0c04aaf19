import { z } from 'zod';
import { answerOf, type ServedPrompt } from './served-api.js';

/** The most probable next tokens with their log-probabilities, by the name that the server gives a token. */
export interface MostProbable {
  readonly found: readonly (readonly [string, number | null])[];
  readonly promptTokens: number;
}

const usage = z.object({ prompt_tokens: z.int().nonnegative() }).nullish();
const ranked = z.record(z.string(), z.number().nullable());
const completion = z.object({
  choices: z.array(z.object({ logprobs: z.object({ top_logprobs: z.array(ranked.nullable()) }) })).min(1),
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

/** An answer of `/v1/completions`, of whichever server. */
export function completionAnswer(answer: unknown): MostProbable {
  const { choices, usage: used } = answerOf(completion, answer);
  return {
    found: Object.entries(choices[0]?.logprobs.top_logprobs[0] ?? {}),
    promptTokens: used?.prompt_tokens ?? 0,
  };
}

/** An answer of `/v1/chat/completions`, of whichever server. */
export function chatAnswer(answer: unknown): MostProbable {
  const { choices, usage: used } = answerOf(chatCompletion, answer);
  const top = choices[0]?.logprobs.content[0]?.top_logprobs ?? [];
  return { found: top.map(({ token, logprob }) => [token, logprob] as const), promptTokens: used?.prompt_tokens ?? 0 };
}

/** A chat prompt as messages; the last one is the beginning of the reply, where there is one. */
export function messagesOf({ text, reply }: ServedPrompt) {
  const question = { role: 'user', content: text };
  return reply === '' ? [question] : [question, { role: 'assistant', content: reply }];
}

/** What says that the last message goes on, in a request of vLLM. */
export function continuing(reply: string) {
  return reply === '' ? {} : { add_generation_prompt: false, continue_final_message: true };
}

/** A bias, as the field of a request has it: one number, added to the logits of some tokens. */
export function logitBias(bias: { readonly ids: readonly number[]; readonly by: number } | undefined) {
  return bias === undefined ? {} : { logit_bias: Object.fromEntries(bias.ids.map((id) => [id, bias.by])) };
}
