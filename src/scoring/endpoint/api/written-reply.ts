import { z } from 'zod';
import type { HttpClient } from '../http-client.js';
import { messagesOf } from './openai-answers.js';
import { answerOf, type ServedPrompt, type WantedReply, type WrittenReply } from './served-api.js';

const used = z.object({ prompt_tokens: z.int(), completion_tokens: z.int() }).nullish();
const reason = z.string().nullish();
const completed = z.object({
  choices: z.array(z.object({ text: z.string(), finish_reason: reason })).min(1),
  usage: used,
});
const chatted = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }), finish_reason: reason })).min(1),
  usage: used,
});

/** Who is asked, and fields of the request that only some servers know. */
export interface ReplyRequestOf {
  readonly client: HttpClient;
  readonly model: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The field for the largest number of tokens; default max_tokens. */
  readonly length?: string;
}

/** A reply by OpenAI's interface, of whichever server. */
export async function writtenReply(
  { client, model, fields, length = 'max_tokens' }: ReplyRequestOf,
  prompt: ServedPrompt,
  { temperature, seed, maxTokens }: WantedReply,
): Promise<WrittenReply> {
  const body = { model, temperature, seed, [length]: maxTokens, ...fields };
  if (!prompt.chat) {
    const answer = await client.ask('/v1/completions', { ...body, prompt: prompt.text });
    const { choices, usage } = answerOf(completed, answer);
    return replyOf(choices[0]?.text, choices[0]?.finish_reason, usage);
  }
  const answer = await client.ask('/v1/chat/completions', { ...body, messages: messagesOf(prompt) });
  const { choices, usage } = answerOf(chatted, answer);
  return replyOf(choices[0]?.message.content, choices[0]?.finish_reason, usage);
}

function replyOf(text: string | null | undefined, ending: string | null | undefined, usage: z.infer<typeof used>) {
  return {
    text: text ?? '',
    tokens: usage?.completion_tokens ?? 0,
    ended: ending !== 'length',
    promptTokens: usage?.prompt_tokens ?? 0,
  };
}
