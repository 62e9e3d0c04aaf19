import type { Candidate } from './candidates.js';

/** What the labels of the evaluation examples say of the candidates. */
export interface LabelledChoice {
  /** Those that cannot be told from the best, in the order of the rule; empty: nothing was measured. */
  readonly alike: readonly Candidate[];
  /** Those that come before the first of `alike` in the order of the rule: labels alone speak against them. */
  readonly ruledOut: readonly Candidate[];
}

/**
 * Leaves out the candidates that can be told from the best: by the test of the run (`tiedWithBest`), and by intervals
 * of the ECE that do not touch where a method was not tested. What is left keeps the order of the rule, so that the
 * choice is the rule's as long as the labels do not speak against it, and never the lowest ECE of many.
 */
export function alikeMethods(candidates: readonly Candidate[]): LabelledChoice {
  const measured = candidates.filter(({ measured: row }) => row !== null);
  const [best] = measured.toSorted((a, b) => eceOf(a) - eceOf(b));
  if (best === undefined) return { alike: [], ruledOut: [] };
  // A method of another kind, such as CAPE, can be the best of the row: then the test leaves no temperature.
  const someTied = measured.some(({ measured: row }) => row?.tiedWithBest === true);
  const isAlike = (each: Candidate) =>
    each === best || (touches(each, best) && !(someTied && each.measured?.tiedWithBest === false));
  const alike = measured.filter(isAlike);
  const [first] = alike;
  return { alike, ruledOut: candidates.slice(0, first === undefined ? 0 : candidates.indexOf(first)) };
}

function eceOf({ measured }: Candidate): number {
  return measured?.eceMeanPp ?? Number.POSITIVE_INFINITY;
}

/** Whether the intervals of two ECEs have a value in common; true where one has no interval. */
function touches({ measured: a }: Candidate, { measured: b }: Candidate): boolean {
  return !((a?.eceLowPp ?? Number.NEGATIVE_INFINITY) > (b?.eceHighPp ?? Number.POSITIVE_INFINITY));
}
