import type { PromptCounts } from '../../contract/inspection.js';
import { encodeJobs } from '../encode/encode-jobs.js';
import type { EncodedPrompt } from '../encode/encoded-prompt.js';
import { allTokens, cellsOf } from '../encode/prompt-size.js';
import type { ModelFraming } from '../frame/frame-model.js';
import type { LoadedModel } from '../protocol/backend.js';
import type { WirePrompt } from '../protocol/protocol.js';

/** Prompts that several models may be asked. */
export interface PromptSet {
  readonly id: number;
  readonly prompts: readonly WirePrompt[];
}

/** Counts of sets by what they were tokenised with. */
export type KnownCounts = Map<string, Map<number, PromptCounts>>;

/**
 * The counts of each set; one that a model of the same vocabulary and framing was asked before is not tokenised again.
 */
export function countPrompts(
  sets: readonly PromptSet[],
  model: LoadedModel,
  framing: ModelFraming,
  known: KnownCounts,
): PromptCounts[] {
  const tokenizer = model.tokenizerKey?.();
  const key = JSON.stringify([tokenizer, framing.frame, framing.bosId]);
  const counted = (tokenizer === undefined ? undefined : known.get(key)) ?? new Map<number, PromptCounts>();
  known.set(key, counted);
  return sets.map(({ id, prompts }) => {
    const counts = counted.get(id) ?? countSet(prompts, model, framing);
    counted.set(id, counts);
    return counts;
  });
}

/** All samples of an example have one prompt, so that the first stands for them. */
function countSet(prompts: readonly WirePrompt[], model: LoadedModel, framing: ModelFraming): PromptCounts {
  const asked = prompts.filter(({ reply }) => reply === undefined || reply.sample === 1);
  const [encoded = []] = encodeJobs([asked], [], framing, model.tokenize).jobs;
  const counts = countEncoded(encoded);
  const times = asked.length === 0 ? 1 : prompts.length / asked.length;
  return { ...counts, refused: Math.round(counts.refused * times) };
}

function countEncoded(encoded: readonly EncodedPrompt[]): PromptCounts {
  let [longest, tokens, refused] = [0, 0, 0];
  let firstRefusal: string | null = null;
  for (const prompt of encoded) {
    if (prompt.kind === 'refused') {
      refused++;
      firstRefusal ??= `${prompt.id}: ${prompt.reason}`;
      continue;
    }
    longest = Math.max(longest, cellsOf(prompt));
    tokens += prompt.kind === 'reply' ? prompt.tokens.length : allTokens(prompt);
  }
  return { longest, tokens, refused, firstRefusal };
}
