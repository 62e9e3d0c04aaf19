import type { ModelRow } from '../../contract/scored-row.js';
import { longestPath } from '../encode/branch-paths.js';
import type { EncodedReply } from '../encode/encode-reply.js';
import type { EncodedRotations } from '../encode/encode-rotations.js';
import type { EncodedText } from '../encode/encode-text-row.js';
import type { ReadyPrompt } from '../encode/encoded-prompt.js';
import { allTokens } from '../encode/prompt-size.js';
import type { EvaluationContext, TextEvaluation, TextRow } from '../protocol/backend.js';
import { evaluateReplies } from './evaluate-replies.js';
import { evaluateWithPlain } from './evaluate-with-plain.js';
import { planWaves } from './plan-waves.js';
import { scoreRotations } from './score-rotations.js';
import { NO_RESULT, scoreRow } from './score-row.js';
import { scoreText } from './text-score.js';

/**
 * Evaluates prompts of one mode together, or plain prompts each followed by the other orders of its options, and makes
 * their rows, in the same order. All begin with the tokens `shared`, which the context keeps. Rejects when the backend
 * does.
 */
export type RowEvaluator = (
  context: EvaluationContext,
  prompts: readonly ReadyPrompt[],
  shared: readonly number[],
) => Promise<ModelRow[]>;

/** What the pmi prompt gave is kept for so many different lists of options. */
const BASELINES_KEPT = 50_000;
/**
 * So many are evaluated together, those of coming rows too: a pmi prompt takes the place of the tokens kept for rows.
 */
const BASELINES_AHEAD = 128;

interface Baselines {
  readonly known: Map<string, TextEvaluation>;
  /** Those of coming rows, next one last. */
  readonly coming: TextRow[];
}

/**
 * One evaluator per model: it remembers the options' scores after the pmi prompt, which rows often share.
 *
 * @param coming all prompts, in the order in which they will come
 */
export function rowEvaluator(coming: readonly ReadyPrompt[]): RowEvaluator {
  const ofTexts = coming.flatMap((prompt) => (prompt.kind === 'text' && prompt.baseline ? [prompt.baseline] : []));
  const baselines: Baselines = { known: new Map(), coming: ofTexts.reverse() };
  const evaluate: RowEvaluator = async (context, prompts, shared) => {
    const texts = prompts.filter((prompt): prompt is EncodedText => prompt.kind === 'text');
    if (texts.length > 0) return await evaluateTexts(context, texts, shared, baselines);
    const rotated = prompts.filter((prompt): prompt is EncodedRotations => prompt.kind === 'rotations');
    if (rotated.length > 0 && rotated.length < prompts.length)
      return await evaluateWithPlain(context, prompts, shared, (prompt) => evaluate(context, [prompt], shared));
    if (rotated.length > 0) return await evaluateRotations(context, rotated, shared);
    const replies = prompts.filter((prompt): prompt is EncodedReply => prompt.kind === 'reply');
    if (replies.length > 0) return await evaluateReplies(context, replies, shared);
    const letters = prompts.filter((prompt) => prompt.kind === 'ok');
    const evaluations = await context.evaluate(
      letters.map((prompt) => ({ tokens: Array.from(prompt.tokens), optionIds: prompt.optionIds })),
      shared,
    );
    return letters.map(({ id, tokens }, n) => scoreRow(id, evaluations[n] ?? NO_RESULT, tokens.length));
  };
  return evaluate;
}

async function evaluateRotations(
  context: EvaluationContext,
  prompts: readonly EncodedRotations[],
  shared: readonly number[],
): Promise<ModelRow[]> {
  const rows = prompts.map(({ tokens, tails }) => ({
    tokens: Array.from(tokens),
    tails: tails.map((tail) => ({ tokens: Array.from(tail.tokens), optionIds: tail.optionIds })),
  }));
  const evaluations = await context.evaluateTails(rows, shared);
  return prompts.map((prompt, n) => scoreRotations(prompt.id, evaluations[n] ?? NO_RESULT, allTokens(prompt)));
}

async function evaluateTexts(
  context: EvaluationContext,
  prompts: readonly EncodedText[],
  shared: readonly number[],
  baselines: Baselines,
): Promise<ModelRow[]> {
  const own = await context.evaluateTexts(
    prompts.map((prompt) => ({ tokens: Array.from(prompt.tokens), continuations: prompt.continuations })),
    shared,
  );
  const found = await evaluateBaselines(context, prompts, baselines);
  return prompts.map((prompt, n) => {
    const baseline = prompt.baseline === null ? null : (found.get(keyOf(prompt.baseline)) ?? NO_RESULT);
    const row = { id: prompt.id, promptTokens: prompt.tokens.length };
    return scoreText(row, prompt, own[n] ?? NO_RESULT, baseline);
  });
}

/** Options after the pmi prompt: each different list of them once. */
async function evaluateBaselines(
  context: EvaluationContext,
  prompts: readonly EncodedText[],
  { known, coming }: Baselines,
): Promise<Map<string, TextEvaluation>> {
  const asked = new Map(prompts.flatMap(({ baseline }) => (baseline === null ? [] : [[keyOf(baseline), baseline]])));
  const found = new Map<string, TextEvaluation>();
  for (const key of asked.keys()) {
    const evaluation = known.get(key);
    if (evaluation !== undefined) found.set(key, evaluation);
  }
  const missing = new Map([...asked].filter(([key]) => !found.has(key)));
  const room = missing.size === 0 ? 0 : Math.min(BASELINES_AHEAD, BASELINES_KEPT - known.size);
  while (missing.size < room) {
    const row = coming.pop();
    if (row === undefined) break;
    const key = keyOf(row);
    if (!known.has(key)) missing.set(key, row);
  }
  const open = [...missing].map(([key, row]) => ({ key, row }));
  const lengths = open.map(({ row }) => row.tokens.length + longestPath(row.continuations));
  for (const wave of planWaves(lengths, context.sequences, context.batchSize)) {
    const together = wave.flatMap((index) => open[index] ?? []);
    const evaluations = await context.evaluateTexts(together.map(({ row }) => row));
    for (const [n, { key }] of together.entries()) {
      const evaluation = evaluations[n];
      if (evaluation === undefined) continue;
      found.set(key, evaluation);
      if (evaluation.kind === 'logProbs' && known.size < BASELINES_KEPT) known.set(key, evaluation);
    }
  }
  return found;
}

function keyOf({ tokens, continuations }: TextRow): string {
  return [tokens, ...continuations].map((each) => each.join(' ')).join('|');
}
