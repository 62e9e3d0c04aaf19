import { quantile } from '../numeric/quantile.js';
import { seededGenerator } from '../numeric/random/seeded-generator.js';
import { studentQuantile } from './law/beta-law.js';
import { uniformDraw } from './law/normal-draws.js';
import { type SignedRank, signedRank } from './signed-rank.js';

/** The difference of two methods on one target, and the base that the target was made of. */
export interface TargetDifference {
  readonly base: string;
  readonly difference: number;
}

/** What a table says about models that are not in it: facts for one sentence. */
export interface OverModels {
  /** `bases`: targets of other bases, drawn like these. `none`: one base says nothing about others. */
  readonly population: 'bases' | 'none';
  readonly bases: number;
  readonly targets: number;
  /** Mean over bases of the mean over their targets. */
  readonly mean: number;
  /** Student's interval of level 0.95 over the bases; null for fewer than two. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Percentile interval of the mean when bases are drawn; too short for fewer than about ten. */
  readonly resampled: { readonly low: number; readonly high: number } | null;
  /** Over the means of the bases. */
  readonly signedRank: SignedRank;
  /** Targets where the difference is below, inside and above the region of practical equivalence. */
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
}

const RESAMPLES = 2000;

/**
 * Inference over models: targets of one base are one cluster, since they share what the base is like (Cameron, Gelbach
 * and Miller 2008); every base counts once. With G bases the interval is mean -+ t_(G - 1) s / sqrt(G) (Student 1908;
 * with few clusters as Ibragimov and Mueller 2010). A difference within `equivalence` of 0 is a tie (region of
 * practical equivalence, Kruschke 2018).
 *
 * @param equivalence in the unit of the differences, 0 or above
 */
export function overModels(differences: readonly TargetDifference[], equivalence: number, seed = 1): OverModels {
  const groups = new Map<string, number[]>();
  for (const { base, difference } of differences) groups.set(base, [...(groups.get(base) ?? []), difference]);
  const means = [...groups.values()].map(meanOf);
  const count = (holds: (difference: number) => boolean) => differences.filter((each) => holds(each.difference)).length;
  return {
    population: means.length > 1 ? 'bases' : 'none',
    bases: means.length,
    targets: differences.length,
    mean: meanOf(means),
    interval: means.length > 1 ? studentInterval(means) : null,
    resampled: means.length > 1 ? resampledInterval(means, seed) : null,
    signedRank: signedRank(means),
    wins: count((difference) => difference < -equivalence),
    ties: count((difference) => Math.abs(difference) <= equivalence),
    losses: count((difference) => difference > equivalence),
  };
}

/**
 * Interval of level 0.95 for the mean over targets when bases are drawn, each with all its targets: mean -+ t_(G - 1)
 * s, s^2 = G / (G - 1) sum over bases of (sum over its targets of (x - mean))^2 / n^2 (errors of clusters, Liang and
 * Zeger 1986, with few clusters as Donald and Lang 2007). With as many targets for every base it is Student's interval
 * of the means of the bases. A percentile bootstrap over bases would be too short for fewer than about ten: see
 * bench/inference/README.md. null for fewer than two bases.
 */
export function clusterInterval(
  values: ReadonlyArray<{ readonly base: string; readonly value: number }>,
): { readonly low: number; readonly high: number; readonly bases: number } | null {
  const mean = values.reduce((sum, { value }) => sum + value, 0) / values.length;
  const residuals = new Map<string, number>();
  for (const { base, value } of values) residuals.set(base, (residuals.get(base) ?? 0) + value - mean);
  const bases = residuals.size;
  if (bases < 2) return null;
  const square = [...residuals.values()].reduce((sum, residual) => sum + residual ** 2, 0);
  const error = Math.sqrt((square * bases) / (bases - 1)) / values.length;
  const reach = studentQuantile(0.975, bases - 1) * error;
  return { low: mean - reach, high: mean + reach, bases };
}

function studentInterval(means: readonly number[]): { low: number; high: number } {
  const mean = meanOf(means);
  const square = means.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (means.length - 1);
  const reach = studentQuantile(0.975, means.length - 1) * Math.sqrt(square / means.length);
  return { low: mean - reach, high: mean + reach };
}

function resampledInterval(means: readonly number[], seed: number): { low: number; high: number } {
  const generator = seededGenerator(seed);
  const drawn = () => means[Math.floor(uniformDraw(generator) * means.length)] ?? 0;
  const draws = Float64Array.from({ length: RESAMPLES }, () => meanOf(means.map(drawn))).sort();
  return { low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
