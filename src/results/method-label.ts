const LABELS: ReadonlyMap<string, string> = new Map([
  ['own-base', 'Own base'],
  ['vanilla', 'Vanilla'],
  ['cape', 'CAPE'],
  ['cape-log', 'CAPE (log)'],
  ['cape-consistency', 'CAPE votes'],
  ['own-base-average', 'Base average'],
  ['base-confidence', 'Base confidence'],
  ['elicitation', 'Elicit.'],
  ['elicitation-unparsed-wrong', 'Elicit. (unparsed wrong)'],
  ['elicitation-ensemble', 'Elic.-Ens.'],
  ['elicitation-ensemble-unparsed-wrong', 'Elic.-Ens. (unparsed wrong)'],
  ['p-true', 'P(True)'],
  ['daca', 'DACA'],
  ['full-kl', 'Full KL'],
  ['relative-only', 'Relative only'],
  ['supportcal', 'SupportCal'],
  ['cape+daca', 'CAPE + DACA'],
  ['cape+supportcal', 'CAPE + SupportCal'],
  ['confidence-matched', 'Conf.-matched (exp.)'],
  ['accuracy-matched', 'Acc.-matched (exp.)'],
  ['oracle-ts', 'Oracle TS (labels)'],
]);

/** The name a reader sees: `SupportCal (2)` for combination size 2; an unknown method keeps its own name. */
export function methodLabel(method: string, combinationSize: number | null): string {
  const label = LABELS.get(method) ?? method;
  return combinationSize === null ? label : `${label} (${combinationSize})`;
}

/** Identifies a method with its M; equal keys share a column. */
export function methodKey(method: string, combinationSize: number | null): string {
  return combinationSize === null ? method : `${method}-${combinationSize}`;
}

/** False for the fit on labels: it is shown, apart from the others, and never competes with them. */
export function isLabelFree(method: string): boolean {
  return method !== 'oracle-ts';
}
