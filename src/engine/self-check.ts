import type { ModelFacts } from '../scoring/contract.js';
import type { Evaluation, EvaluationContext } from './backend.js';

interface CheckRow {
  readonly tokens: ArrayLike<number>;
  readonly optionIds: readonly number[];
}

/** Largest difference of an option logit, alone against in a batch, that passes without a warning. */
const TOLERANCE = { cpu: 1e-3, cuda: 0.1, vulkan: 0.1, metal: 0.1 } as const;

/**
 * Scores the first prompt of the first batch alone and as a whole, then in the batch and after the kept tokens, if there
 * are any. The difference goes into the facts, above the tolerance also into the warnings. The batch's evaluations come
 * back so that the check costs one prompt only; null when the batch is too small to compare, or failed.
 */
export async function selfCheck(
  context: EvaluationContext,
  rows: readonly CheckRow[],
  shared: readonly number[],
  facts: ModelFacts,
): Promise<{ facts: ModelFacts; evaluations: Evaluation[] | null }> {
  if (rows.length < 2) return { facts, evaluations: null };
  const inputs = rows.map((row) => ({ tokens: Array.from(row.tokens), optionIds: row.optionIds }));
  try {
    const [alone] = await context.evaluate(inputs.slice(0, 1));
    const together = await context.evaluate(inputs, shared);
    const maxDifference = difference(alone, together[0]);
    if (maxDifference === null) return { facts, evaluations: null };
    const tolerance = TOLERANCE[facts.backend];
    const warnings =
      maxDifference <= tolerance
        ? facts.warnings
        : [
            ...facts.warnings,
            `a prompt's option logits differ by ${maxDifference} alone and in a batch (tolerance ${tolerance})`,
          ];
    return { facts: { ...facts, warnings, selfCheck: { maxDifference, tolerance } }, evaluations: together };
  } catch {
    // The ordinary path meets the same failure and reports it per row.
    return { facts, evaluations: null };
  }
}

function difference(a: Evaluation | undefined, b: Evaluation | undefined): number | null {
  if (a?.kind !== 'logits' || b?.kind !== 'logits') return null;
  const worst = Math.max(...a.logits.map((logit, k) => Math.abs((logit ?? Number.NaN) - (b.logits[k] ?? Number.NaN))));
  return Number.isFinite(worst) ? worst : null;
}
