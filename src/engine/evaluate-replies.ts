import type { ModelRow } from '../scoring/scored-row.js';
import type { EvaluationContext } from './backend.js';
import type { EncodedReply } from './encode-reply.js';
import { failedRow } from './score-row.js';

/** The samples of one example: one prompt, evaluated once. */
export type ReplyGroup = readonly EncodedReply[];

/** Replies to the same prompt stand together, in the order of their first one. */
export function replyGroups(prompts: readonly EncodedReply[]): ReplyGroup[] {
  const groups = new Map<string, EncodedReply[]>();
  for (const prompt of prompts) {
    const key = JSON.stringify([prompt.request.example, prompt.tokens.length]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [prompt]);
    else group.push(prompt);
  }
  return [...groups.values()];
}

/** Lets the model reply and makes the rows, in the order of the prompts. */
export async function evaluateReplies(
  context: EvaluationContext,
  prompts: readonly EncodedReply[],
  shared: readonly number[],
): Promise<ModelRow[]> {
  const groups = replyGroups(prompts);
  const generated = await context.generate(
    groups.map(([first, ...others]) => ({
      tokens: Array.from(first!.tokens),
      seeds: [first!, ...others].map(({ request }) => request.seed),
      temperature: first!.request.temperature,
      maxTokens: first!.request.maxTokens,
      grammar: first!.request.grammar,
    })),
    shared,
  );
  const rows = new Map<string, ModelRow>();
  for (const [g, group] of groups.entries()) {
    for (const [s, prompt] of group.entries()) rows.set(prompt.id, replyRow(prompt, generated[g]?.[s]));
  }
  return prompts.map(({ id }) => rows.get(id)!);
}

type Generated = Awaited<ReturnType<EvaluationContext['generate']>>[number][number];

function replyRow({ id, tokens, request }: EncodedReply, generation: Generated | undefined): ModelRow {
  if (generation?.kind !== 'text') {
    const what = generation?.message ?? 'the backend gave no result';
    return failedRow(id, `generation failed: ${what}`, tokens.length);
  }
  return {
    status: 'replied',
    id,
    text: generation.text,
    replyTokens: generation.tokens,
    ended: generation.ended,
    seed: request.seed,
    promptTokens: tokens.length,
  };
}
