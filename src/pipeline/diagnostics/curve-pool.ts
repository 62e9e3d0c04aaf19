import type { TemperatureOutcome } from '../../calibration/fit/temperature-outcome.js';
import { groupBy } from '../../contract/group-by.js';
import { mean, standardError } from '../../numeric/mean.js';
import type { CurvePoint } from '../../results/paper-diagnostics.js';

/** One fit at one point of a curve. */
export interface CurveSample {
  readonly target: string;
  readonly seed: number;
  readonly x: number;
  readonly outcome: TemperatureOutcome;
  readonly ece: number | null;
  readonly calibrationCount: number;
}

/** Collects the fits of one kind of curve; `Series` tells curves of the same target apart. */
export class CurvePool<Series extends object> {
  readonly #series = new Map<string, { series: Series; samples: CurveSample[] }>();

  add(series: Series, sample: CurveSample): void {
    const key = JSON.stringify(series);
    const known = this.#series.get(key) ?? { series, samples: [] };
    known.samples.push(sample);
    this.#series.set(key, known);
  }

  /** One curve per series over all targets (target null), then one per target. */
  entries(): (Series & { target: string | null; points: CurvePoint[] })[] {
    return [...this.#series.values()].flatMap(({ series, samples }) => {
      const targets = [...new Set(samples.map(({ target }) => target))];
      return [null, ...targets].map((target) => {
        const own = target === null ? samples : samples.filter((sample) => sample.target === target);
        return { ...series, target, points: [...groupBy(own, ({ x }) => x)].map(([x, at]) => pointOf(x, at)) };
      });
    });
  }
}

/** Every target counts alike: ECE is averaged over targets within a seed, then over seeds. */
function pointOf(x: number, samples: readonly CurveSample[]): CurvePoint {
  const perSeed = [...groupBy(samples, ({ seed }) => seed).values()]
    .map((ofSeed) => mean(ofSeed.map(({ ece }) => ece).filter((ece) => ece !== null)))
    .filter((ece) => ece !== null);
  const outcomes = samples.map(({ outcome }) => outcome);
  return {
    x,
    eceMean: mean(perSeed),
    eceSe: standardError(perSeed),
    temperatureMean: mean(outcomes.flatMap((outcome) => (outcome.kind === 'finite' ? [outcome.temperature] : []))),
    infinite: outcomes.filter(({ kind }) => kind === 'infinite').length,
    none: outcomes.filter(({ kind }) => kind === 'none').length,
    fits: samples.length,
    calibrationCount: mean(samples.map(({ calibrationCount }) => calibrationCount)) ?? 0,
  };
}
