import type { Results } from '../../results/results-schema.js';

/** The methods of the paper's tables, in its order; `--columns paper` on the command line. */
export const PAPER_COLUMNS: readonly string[] = [
  ...['vanilla', 'cape', 'elicitation', 'elicitation-ensemble', 'daca', 'supportcal'],
];

/**
 * The results with the methods of a list alone, in its order (a fit on labels still stands last). Marks stay those of
 * all methods.
 */
export function chosenColumns(results: Results, methods: readonly string[]): Results {
  const places = new Map(methods.map((method, n) => [method, n]));
  const chosen = <T extends { readonly method: string }>(rows: readonly T[]): T[] =>
    rows.filter(({ method }) => places.has(method)).sort((a, b) => placeOf(a) - placeOf(b));
  const placeOf = ({ method }: { readonly method: string }) => places.get(method) ?? 0;
  const { runs, summary, macro } = results;
  const comparisons = results.comparisons.filter(({ methodA, methodB }) => places.has(methodA) && places.has(methodB));
  return {
    ...results,
    runs: chosen(runs),
    summary: chosen(summary),
    macro: chosen(macro),
    comparisons,
  };
}
