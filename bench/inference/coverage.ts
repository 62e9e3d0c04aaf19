import { binGaps } from '../../src/inference/interval/bin-gaps.js';
import { calibratedReference } from '../../src/inference/interval/calibrated-reference.js';
import { eceInterval } from '../../src/inference/interval/ece-interval.js';
import { binErrors } from '../../src/metrics/bins/bin-errors.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { type Population, sample } from './population.js';

export interface Coverage {
  /** Mean measured ECE. */
  readonly measured: number;
  readonly covered: number;
  /** Shares of intervals that end below the truth, and that begin above it. */
  readonly below: number;
  readonly above: number;
  readonly width: number;
  /** Share of p <= 0.05 of the test of calibration. */
  readonly rejected: number;
}

/** Intervals of `samples` data sets of N examples against the population's error. */
export function coverage(from: Population, count: number, samples: number, power: 1 | 2 = 1): Coverage {
  const generator = seededGenerator(1000 * samples + count);
  const truth = power === 1 ? from.ece : from.rms;
  let [measured, below, above, width, rejected] = [0, 0, 0, 0, 0];
  for (let i = 0; i < samples; i++) {
    const { confidences, correct } = sample(from, count, generator);
    const bins = reliabilityBins(confidences, correct);
    const gaps = binGaps([bins]);
    const error = power === 1 ? binErrors(bins).ece : binErrors(bins).rmsCe;
    const { low, high } = eceInterval(gaps, error, { power });
    measured += error / samples;
    if (high < truth) below++;
    if (low > truth) above++;
    width += (high - low) / samples;
    if (calibratedReference(gaps, error, power).pValue <= 0.05) rejected++;
  }
  return {
    measured,
    covered: 1 - (below + above) / samples,
    below: below / samples,
    above: above / samples,
    width,
    rejected: rejected / samples,
  };
}
