import { groupBy } from '../../contract/group-by.js';
import type { ModelRow } from '../../contract/scored-row.js';
import type { EncodedReply } from '../encode/encode-reply.js';
import type { EvaluationContext } from '../protocol/backend.js';
import { failedRow, NO_RESULT } from './score-row.js';

/** Groups prompts whose tokens, forms and limits are the same, in the order of their first one. */
export function replyGroups<Prompt>(
  prompts: readonly Prompt[],
  replyOf: (prompt: Prompt) => EncodedReply,
): (readonly [Prompt, ...Prompt[]])[] {
  const forms = new Map<EncodedReply['form'], number>();
  const keyOf = (prompt: Prompt) => {
    const { tokens, request, form } = replyOf(prompt);
    const bytes = Buffer.from(tokens.buffer, tokens.byteOffset, tokens.byteLength).toString('latin1');
    if (!forms.has(form)) forms.set(form, forms.size);
    return `${forms.get(form)} ${request.maxTokens} ${bytes}`;
  };
  return [...groupBy(prompts, keyOf).values()];
}

/** Lets the model reply and makes the rows, in the order of the prompts. */
export async function evaluateReplies(
  context: EvaluationContext,
  prompts: readonly EncodedReply[],
  shared: readonly number[],
): Promise<ModelRow[]> {
  const groups = replyGroups(prompts, (prompt) => prompt);
  const generated = await context.generate(
    groups.map((group) => {
      const [{ tokens, request, form }] = group;
      return {
        tokens: Array.from(tokens),
        samples: group.map(({ request: { seed, temperature } }) => ({ seed, temperature })),
        maxTokens: request.maxTokens,
        form,
      };
    }),
    shared,
  );
  const rows = new Map<EncodedReply, ModelRow>();
  for (const [g, group] of groups.entries()) {
    for (const [s, prompt] of group.entries()) rows.set(prompt, replyRow(prompt, generated[g]?.[s]));
  }
  return prompts.map((prompt) => rows.get(prompt) ?? replyRow(prompt, undefined));
}

type Generated = Awaited<ReturnType<EvaluationContext['generate']>>[number][number];

function replyRow({ id, tokens, request }: EncodedReply, generation: Generated | undefined): ModelRow {
  if (generation?.kind !== 'text') {
    const what = generation?.message ?? NO_RESULT.message;
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
    ...(generation.allowedMass !== undefined && { allowedMass: generation.allowedMass }),
  };
}
