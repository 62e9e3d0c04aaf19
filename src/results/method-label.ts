import { METHODS } from '../calibration/methods.js';

/** What reports name a method; the own base itself stands beside the methods in diagnostics. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['own-base', 'Own base'],
  ...METHODS.map(({ name, label }): [string, string] => [name, label]),
]);

const LABELLED: ReadonlySet<string> = new Set(METHODS.flatMap(({ name, needs }) => (needs === 'labels' ? [name] : [])));

/** The name a reader sees: `SupportCal (2)` for combination size 2; an unknown method keeps its own name. */
export function methodLabel(method: string, combinationSize: number | null): string {
  const label = LABELS.get(method) ?? method;
  return combinationSize === null ? label : `${label} (${combinationSize})`;
}

/** Identifies a method with its M; equal keys share a column. */
export function methodKey(method: string, combinationSize: number | null): string {
  return combinationSize === null ? method : `${method}-${combinationSize}`;
}

/** False for a fit on labels: it is shown, apart from the others, and never competes with them. */
export function isLabelFree(method: string): boolean {
  return !LABELLED.has(method);
}
