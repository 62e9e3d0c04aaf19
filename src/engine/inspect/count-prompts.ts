import type { PromptCounts } from '../../contract/inspection.js';
import { encodeJobs, type Tokenising } from '../encode/encode-jobs.js';
import type { EncodedPrompt } from '../encode/encoded-prompt.js';
import { isLong } from '../encode/least-tokens.js';
import { allTokens, cellsOf } from '../encode/prompt-size.js';
import { tokenisingFor } from '../encode/tokenising-for.js';
import type { ModelFraming } from '../frame/frame-model.js';
import type { LoadedModel } from '../protocol/backend.js';
import type { WirePrompt, WorkerPlan } from '../protocol/protocol.js';

/** Prompts that several models may be asked. */
export interface PromptSet {
  readonly id: number;
  readonly prompts: readonly WirePrompt[];
}

/** Counts of sets by what they were tokenised with. */
export type KnownCounts = Map<string, Map<number, PromptCounts>>;

interface Counting {
  readonly plan: Pick<WorkerPlan, 'contextSize'>;
  readonly model: LoadedModel;
  readonly framing: ModelFraming;
  /** Called with the number of prompts that are tokenised. */
  readonly onProgress: (prompts: number) => void;
}

/**
 * The counts of each set; one that a model of the same vocabulary and framing was asked before is not tokenised again.
 */
export async function countPrompts(
  sets: readonly PromptSet[],
  { plan, model, framing, onProgress }: Counting,
  known: KnownCounts,
): Promise<PromptCounts[]> {
  const shared = tokenisingFor(model, plan);
  const counted = countsOf(known, tokensKey(sets, { plan, model, framing }));
  let before = 0;
  const all: PromptCounts[] = [];
  for (const { id, prompts } of sets) {
    const from = before;
    const tokenising = { ...shared, onProgress: (done: number) => onProgress(from + done) };
    const counts = counted.get(id) ?? (await countSet(prompts, framing, tokenising));
    counted.set(id, counts);
    all.push(counts);
    before += prompts.length;
  }
  return all;
}

/** Keeps the counts of a set that was tokenised for its lines; several replies to one prompt are counted otherwise. */
export function keepCounts(
  known: KnownCounts,
  key: string | null,
  { id, prompts }: PromptSet,
  counts: PromptCounts,
): void {
  if (prompts.every(({ reply }) => reply === undefined)) countsOf(known, key).set(id, counts);
}

function countsOf(known: KnownCounts, key: string | null): Map<number, PromptCounts> {
  const counted = (key === null ? undefined : known.get(key)) ?? new Map<number, PromptCounts>();
  if (key !== null) known.set(key, counted);
  return counted;
}

/** Equal for models that make the same tokens of the prompts; null: unknown. */
export function tokensKey(
  sets: readonly PromptSet[],
  { plan, model, framing }: Omit<Counting, 'onProgress'>,
): string | null {
  const tokenizer = model.tokenizerKey?.();
  if (tokenizer === undefined) return null;
  // Which of the long prompts fit is another matter for each model.
  const long = sets.some(({ prompts }) => prompts.some(isLong));
  return JSON.stringify([tokenizer, framing.frame, framing.bosId, long ? tokenisingFor(model, plan).room?.most : null]);
}

/** All samples of an example have one prompt, so that the first stands for them. */
async function countSet(
  prompts: readonly WirePrompt[],
  framing: ModelFraming,
  tokenising: Tokenising,
): Promise<PromptCounts> {
  const asked = prompts.filter(({ reply }) => reply === undefined || reply.sample === 1);
  const { jobs } = await encodeJobs([asked], [], framing, tokenising);
  const [encoded = []] = jobs;
  const counts = countEncoded(encoded);
  const times = asked.length === 0 ? 1 : prompts.length / asked.length;
  return { ...counts, refused: Math.round(counts.refused * times) };
}

/** Counts of prompts that are tokenised. */
export function countEncoded(encoded: readonly EncodedPrompt[]): PromptCounts {
  let [longest, shortest, tokens, refused] = [0, Number.POSITIVE_INFINITY, 0, 0];
  let firstRefusal: string | null = null;
  for (const prompt of encoded) {
    if (prompt.kind === 'refused') {
      refused++;
      firstRefusal ??= `${prompt.id}: ${prompt.reason}`;
      continue;
    }
    longest = Math.max(longest, cellsOf(prompt));
    shortest = Math.min(shortest, prompt.tokens.length);
    tokens += prompt.kind === 'reply' ? prompt.tokens.length : allTokens(prompt);
  }
  return { longest, shortest: Number.isFinite(shortest) ? shortest : 0, tokens, refused, firstRefusal };
}
