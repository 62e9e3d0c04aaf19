import { ANSWER_METHODS } from '../../calibration/methods.js';
import { mean } from '../../numeric/mean.js';
import { isLabelFree, methodLabel } from '../method-label.js';
import type { Results } from '../results-schema.js';
import type { RunResult } from '../run-schema.js';
import type { SummaryRow } from '../summarise-runs.js';
import type { MethodTemperature } from '../verdict-schema.js';

/** A label-free method that has a temperature on a target, with what was measured of it. */
export interface Candidate extends MethodTemperature {
  readonly runs: readonly RunResult[];
  /** null: no row of the summary has an ECE of it. */
  readonly measured: SummaryRow | null;
}

/** The parts of results.json that verdicts are made of. */
export type JudgedResults = Pick<Results, 'runs' | 'summary' | 'health' | 'diagnostics'>;

/** All that a verdict looks at for one target on one data set. */
export interface JudgedTarget {
  readonly runs: readonly RunResult[];
  readonly candidates: readonly Candidate[];
  readonly vanilla: SummaryRow | null;
  readonly labelled: SummaryRow | null;
}

/**
 * Without labels the first of these that was run is taken: the order of their mean ECE on the targets that the study
 * kept aside (bench/study). A method of one's own comes after them, since nothing is known of it.
 */
const RULE_ORDER = [
  ...['auto', 'accuracy-matched', 'confidence-matched', 'daca', 'relative-only', 'supportcal', 'full-kl'],
] as const;

/** What the heads of columns say of methods that are not of the paper. */
const EXPERIMENTAL = / \(exp\.\)$/;

/** Temperatures on the model's own scores, in the order of the rule; of a method with references the smallest M. */
export function judgedTarget(results: JudgedResults, dataset: string, target: string): JudgedTarget {
  const runs = results.runs.filter((run) => run.dataset === dataset && run.target === target);
  const summary = results.summary.filter((row) => row.dataset === dataset && row.target === target);
  const measuredOf = (method: string, size: number | null) =>
    summary.find((row) => row.method === method && row.combinationSize === size && row.eceMeanPp !== null) ?? null;
  const names = [...new Set(runs.map(({ method }) => method))].filter((name) => isLabelFree(name) && !isOther(name));
  const candidates = names.flatMap((method): Candidate[] => {
    const ofMethod = runs.filter((run) => run.method === method);
    const size = smallestSize(ofMethod);
    const own = ofMethod.filter((run) => run.combinationSize === size);
    const temperature = temperatureOf(own);
    if (temperature === null) return [];
    const named = { method, combinationSize: size, label: methodLabel(method, null).replace(EXPERIMENTAL, '') };
    return [{ ...named, ...temperature, runs: own, measured: measuredOf(method, size) }];
  });
  return {
    runs,
    candidates: candidates.toSorted((a, b) => placeOf(a.method) - placeOf(b.method)),
    vanilla: measuredOf('vanilla', null),
    labelled: measuredOf('oracle-ts', null),
  };
}

/** Whether a method asks the model in another way than for its plain scores: fewer questions may have an answer. */
export function asksOtherwise(method: string): boolean {
  return ANSWER_METHODS.some(({ name }) => name === method);
}

/** The model as it is, and methods whose temperature, if any, is for another distribution than the model's own. */
function isOther(method: string): boolean {
  return method === 'vanilla' || asksOtherwise(method);
}

function placeOf(method: string): number {
  const place = (RULE_ORDER as readonly string[]).indexOf(method);
  return place === -1 ? RULE_ORDER.length : place;
}

function smallestSize(runs: readonly RunResult[]): number | null {
  const sizes = runs.flatMap(({ combinationSize }) => combinationSize ?? []);
  return sizes.length === 0 ? null : Math.min(...sizes);
}

/** The geometric mean of the finite temperatures where most splits have one; null where some split has none at all. */
function temperatureOf(runs: readonly RunResult[]): Pick<Candidate, 'temperature' | 'temperatureKind'> | null {
  if (runs.length === 0 || runs.some(({ temperatureKind }) => temperatureKind === 'none')) return null;
  const logs = runs.flatMap(({ temperature }) => (temperature === null ? [] : [Math.log(temperature)]));
  const middle = mean(logs);
  if (middle === null || 2 * logs.length <= runs.length) return { temperature: null, temperatureKind: 'infinite' };
  return { temperature: Math.exp(middle), temperatureKind: 'finite' };
}
