import type { ModelRow } from '../../contract/scored-row.js';
import type { ModelFacts } from '../../contract/scorer.js';

/** Largest difference of an option's score, alone against in a batch, that passes without a warning. */
const TOLERANCE = { cpu: 1e-3, cuda: 0.1, vulkan: 0.1, metal: 0.1 } as const;

/** The first prompts in two ways. */
export interface CheckedRows {
  /** The first prompt alone and as a whole. */
  readonly alone: () => Promise<readonly ModelRow[]>;
  /** It and its neighbours in a batch and after the kept tokens, if there are any. */
  readonly together: () => Promise<readonly ModelRow[]>;
}

/**
 * Scores the first prompt of the first batch in two ways. The difference goes into the facts, above the tolerance also
 * into the warnings. The batch's rows come back so that the check costs one prompt only; null when the two cannot be
 * compared.
 */
export async function selfCheck(
  { alone, together }: CheckedRows,
  facts: ModelFacts,
): Promise<{ facts: ModelFacts; rows: readonly ModelRow[] | null }> {
  try {
    const [first] = await alone();
    const rows = await together();
    const maxDifference = difference(first, rows[0]);
    if (maxDifference === null) return { facts, rows: null };
    const tolerance = TOLERANCE[facts.backend];
    const warnings =
      maxDifference <= tolerance
        ? facts.warnings
        : [
            ...facts.warnings,
            `a prompt's option logits differ by ${maxDifference} alone and in a batch (tolerance ${tolerance})`,
          ];
    return { facts: { ...facts, warnings, selfCheck: { maxDifference, tolerance } }, rows };
  } catch {
    // The ordinary path meets the same failure and reports it per row.
    return { facts, rows: null };
  }
}

function difference(a: ModelRow | undefined, b: ModelRow | undefined): number | null {
  if (a?.status !== 'ok' || b?.status !== 'ok') return null;
  const { logits } = b;
  return Math.max(...Array.from(a.logits, (logit, k) => Math.abs(logit - logits[k]!)));
}
