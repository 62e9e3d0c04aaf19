import type { ModelRow } from '../../contract/scored-row.js';
import type { ModelFacts } from '../../contract/scorer.js';

type SelfCheck = NonNullable<ModelFacts['selfCheck']>;

/** Some prompts of a batch in two ways. */
export interface CheckedRows {
  /** All prompts of the batch, as they are scored. */
  readonly together: () => Promise<readonly ModelRow[]>;
  /** The prompt at one place of the batch, where it meets no other, after the same kept tokens. */
  readonly alone: (place: number) => Promise<readonly ModelRow[]>;
  /** It without kept tokens; absent: the batch keeps none. */
  readonly whole?: (place: number) => Promise<readonly ModelRow[]>;
  /** Places to compare, at least one. */
  readonly places: readonly number[];
  /** What may differ without a warning: nothing where equal numbers are promised. */
  readonly tolerance: number;
}

/** What a prompt that is evaluated as a whole may differ by from one after kept tokens. */
const WHOLE_TOLERANCE = 0.2;

/**
 * Scores prompts at several places of the first batch in two ways. The largest difference and the answers that it flips
 * go into the facts, above the tolerance also into the warnings. The batch's rows come back so that the check costs the
 * compared prompts only; null when nothing can be compared.
 */
export async function selfCheck(
  checked: CheckedRows,
  facts: ModelFacts,
): Promise<{ facts: ModelFacts; rows: readonly ModelRow[] | null }> {
  try {
    const rows = await checked.together();
    const pairs = await inPairs(rows, checked.places, checked.alone);
    if (pairs.length === 0) return { facts, rows: null };
    const wholes = checked.whole === undefined ? [] : await inPairs(rows, checked.places.slice(0, 1), checked.whole);
    const check: SelfCheck = {
      maxDifference: largest(pairs),
      tolerance: checked.tolerance,
      compared: pairs.length,
      flips: pairs.filter(([a, b]) => best(a) !== best(b)).length,
      ...(wholes.length > 0 && { keptTokens: largest(wholes) }),
    };
    return { facts: { ...facts, warnings: [...facts.warnings, ...warningsOf(check)], selfCheck: check }, rows };
  } catch {
    // The ordinary path meets the same failure and reports it per row.
    return { facts, rows: null };
  }
}

function warningsOf({ maxDifference, tolerance, compared = 1, keptTokens = 0 }: SelfCheck): string[] {
  const company = `option logits of ${compared} prompts differ by up to ${maxDifference} alone and in a batch (tolerance ${tolerance})`;
  const kept = `option logits of a prompt differ by ${keptTokens} as a whole and after kept tokens (tolerance ${WHOLE_TOLERANCE})`;
  return [...(maxDifference > tolerance ? [company] : []), ...(keptTokens > WHOLE_TOLERANCE ? [kept] : [])];
}

type Logits = ArrayLike<number>;
type Pair = readonly [Logits, Logits];

/** The logits of the places that have some in both ways. */
async function inPairs(
  rows: readonly ModelRow[],
  places: readonly number[],
  otherWay: (place: number) => Promise<readonly ModelRow[]>,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const place of places) {
    const [a, [b]] = [rows[place], await otherWay(place)];
    if (a?.status === 'ok' && b?.status === 'ok') pairs.push([a.logits, b.logits]);
  }
  return pairs;
}

function largest(pairs: readonly Pair[]): number {
  return Math.max(...pairs.map(([a, b]) => Math.max(...Array.from(a, (logit, k) => Math.abs(logit - (b[k] ?? NaN))))));
}

function best(logits: Logits): number {
  return Array.from(logits).reduce((top, logit, k, all) => (logit > (all[top] ?? NaN) ? k : top), 0);
}
