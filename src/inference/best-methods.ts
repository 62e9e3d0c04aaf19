import { lesserReading, pairedReadings } from './paired-readings.js';
import type { SignedErrors } from './signed-errors.js';

/** Which methods of a table cannot be told from the best. */
export interface BestMethods {
  /**
   * In the order of the methods: chance of a difference to the best of the others at least as large, if the method were
   * the best.
   */
  readonly pValues: readonly number[];
  /** Methods of p above 0.05. The true best is in the set in at least 0.95 of data sets. */
  readonly set: readonly boolean[];
  /** false: all are in the set, nothing can be told apart, and nothing is to be marked. */
  readonly excludesSome: boolean;
}

const LEVEL = 0.05;

/**
 * Confidence set for the best method (Gupta 1965; multiple comparisons with the best, Hsu 1981). Method i leaves it
 * when t_i = max_j (S_i - S_j) / se_ij is beyond the law of max_j (D_i - D_j) / se_ij, D the deviations of the nested
 * resamples: one-sided, the comparisons of one method together. The set needs no choice of the best beforehand and no
 * correction over i. Where the sum S_i + S_j is fewer of its errors than the difference, it stands for it: a difference
 * that is one with the signs that were found alone tells nothing apart.
 */
export function bestMethods(methods: readonly SignedErrors[]): BestMethods {
  const pValues = methods.map((method, i) => {
    const others = methods.flatMap((other, j) => (i === j ? [] : [oneSided(pairedReadings(method, other))]));
    if (others.length === 0) return 1;
    const found = Math.max(...others.map(({ statistic }) => statistic));
    if (found <= 0) return 1;
    const count = method.overallDraws.length;
    let beyond = 0;
    for (let r = 0; r < count; r++) {
      let most = Number.NEGATIVE_INFINITY;
      for (const { draws, error } of others) most = Math.max(most, (draws[r] ?? 0) / error);
      if (most >= found) beyond++;
    }
    return (1 + beyond) / (1 + count);
  });
  const set = pValues.map((p) => p > LEVEL);
  return { pValues, set, excludesSome: set.includes(false) };
}

function oneSided(all: ReturnType<typeof pairedReadings>) {
  const { value, error, draws } = lesserReading(all);
  const direction = Math.sign(all[0].difference.value);
  const agreed = all.every(({ difference }) => Math.sign(difference.value) === direction);
  return { statistic: agreed ? (direction * Math.abs(value)) / error : 0, error, draws: centred(draws) };
}

/** Less their mean; resamples without a value count as no deviation. */
function centred(values: Float64Array): Float64Array {
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return values.map((value) => (Number.isNaN(value) ? 0 : value - mean));
}
