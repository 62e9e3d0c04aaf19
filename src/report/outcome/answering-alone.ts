import type { Results } from '../../results/results-schema.js';
import type { ThresholdPoint, Thresholds } from '../../results/threshold-schema.js';
import type { Verdict } from '../../results/verdict-schema.js';
import { formatFixed, formatPercent } from '../text/format-number.js';

/** The thresholds of every target with the temperature of its verdict, or as it is where it has none. */
export function thresholdsInUse({ thresholds = [] }: Results, verdicts: readonly Verdict[]): Thresholds[] {
  return verdicts.flatMap(({ dataset, target, use }) => {
    const own = thresholds.filter((each) => each.dataset === dataset && each.target === target);
    const [method, size] = use === null ? ['vanilla', null] : [use.method, use.combinationSize];
    return own.find((each) => each.method === method && each.combinationSize === size) ?? [];
  });
}

/** Rates of errors that a sentence speaks of; the first that some target keeps to is taken. */
const RATES = [0.05, 0.1, 0.2];

/** From which confidence on the best target of one data set may answer alone, and how many targets may. */
export function aloneSentence(dataset: string, thresholds: readonly Thresholds[]): string {
  const points = (rate: number) =>
    thresholds.flatMap(({ target, points: all }) => {
      const found = boundAt(all, rate);
      return found === null ? [] : [{ target, ...found }];
    });
  const rate = RATES.find((each) => points(each).length > 0);
  if (rate === undefined)
    return `no model is shown to keep to even 20\u00a0% errors on ${dataset}, however sure it is.`;
  const found = points(rate).toSorted((a, b) => b.coverage - a.coverage);
  const [best] = found;
  if (best === undefined) return '';
  const share = found.length === thresholds.length ? 'every model has' : `${found.length} of ${thresholds.length} have`;
  const others = thresholds.length === 1 ? '' : `; ${share} such a threshold`;
  const errors = `${formatPercent(rate, 0)}\u00a0% errors`;
  const kept = best.guaranteed ? `at most ${errors}` : `about ${errors} by its own confidence`;
  return `above ${formatFixed(best.threshold)} ${best.target} may answer alone: ${formatPercent(best.coverage, 0)}\u00a0% of the questions with ${kept}${others}.`;
}

/** The threshold for a rate: shown by labels where there are some, else estimated; null: neither. */
export function boundAt(points: readonly ThresholdPoint[], rate: number) {
  const at = points.find(({ maxError }) => maxError === rate);
  if (at?.guaranteed) return { ...at.guaranteed, guaranteed: true };
  const labelled = points.some(({ guaranteed }) => guaranteed !== null) || at?.estimated?.observedRisk != null;
  return at?.estimated && !labelled ? { ...at.estimated, guaranteed: false } : null;
}
