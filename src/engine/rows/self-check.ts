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
  /** Whether the two ways have a context each, so that they can go on at the same time. */
  readonly apart: boolean;
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
    const { rows, alone, whole } = await bothWays(checked);
    const pairs = inPairs(rows, checked.places, alone);
    if (pairs.length === 0) return { facts, rows: null };
    const wholes = inPairs(rows, checked.places, whole);
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

/** All prompts together, some of them alone, and the first of these as a whole. */
async function bothWays({ together, alone, whole, places, apart }: CheckedRows) {
  const others = async () => {
    const aloneRows: ModelRow[] = [];
    for (const place of places) aloneRows.push(...(await alone(place)));
    const [first] = places;
    return { alone: aloneRows, whole: whole === undefined || first === undefined ? [] : await whole(first) };
  };
  if (!apart) return { rows: await together(), ...(await others()) };
  // Neither is left behind at work when the other one fails.
  const [rows, compared] = await Promise.allSettled([together(), others()]);
  if (rows.status === 'rejected') throw rows.reason;
  if (compared.status === 'rejected') throw compared.reason;
  return { rows: rows.value, ...compared.value };
}

/** The logits of the places that have some in both ways. */
function inPairs(rows: readonly ModelRow[], places: readonly number[], others: readonly ModelRow[]): Pair[] {
  return others.flatMap((b, n) => {
    const a = rows[places[n] ?? -1];
    return a?.status === 'ok' && b.status === 'ok' ? [[a.logits, b.logits] as const] : [];
  });
}

function largest(pairs: readonly Pair[]): number {
  return Math.max(...pairs.map(([a, b]) => Math.max(...Array.from(a, (logit, k) => Math.abs(logit - (b[k] ?? NaN))))));
}

function best(logits: Logits): number {
  return Array.from(logits).reduce((top, logit, k, all) => (logit > (all[top] ?? NaN) ? k : top), 0);
}
