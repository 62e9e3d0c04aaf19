import { LEAST_SPREAD } from '../../numeric/logit-limits.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { leastDoubt, meanDoubt } from './mean-doubt.js';
import { solveSlope } from './solve-slope.js';
import { fittedTemperature, type TemperatureOutcome } from './temperature-outcome.js';

/** |mean confidence - accuracy| at the root, relative to 1 - accuracy. */
const TOLERANCE = 1e-13;

/**
 * The temperature at which the target's mean confidence over a split is a given accuracy. Mean confidence only rises
 * with beta = 1/tau, from the mean of 1/K (beta = 0) to 1 (to less where top logits are tied), so there is one such
 * temperature or none: the root of mean_n max_k softmax(beta d_n)[k] = accuracy. Not of the paper:
 * bench/study/README.md.
 *
 * `gaps` are the target's logits less the row maximum, `doubt` is 1 - accuracy. An accuracy at or below the mean of
 * 1/K gives `infinite`; one that no temperature reaches gives `none` (`out-of-reach`).
 */
export function matchConfidence(gaps: RaggedRows, doubt: number): TemperatureOutcome {
  const none = (reason: 'no-examples' | 'constant-logits' | 'out-of-reach'): TemperatureOutcome => ({
    kind: 'none',
    reason,
    weightedBoundaryMargin: null,
  });
  if (gaps.rowCount === 0) return none('no-examples');
  const uniform = meanDoubt(gaps, 0);
  if (-uniform.derivative < LEAST_SPREAD) return none('constant-logits');
  if (doubt >= uniform.doubt) return { kind: 'infinite', weightedBoundaryMargin: null };
  if (!(doubt > leastDoubt(gaps))) return none('out-of-reach');
  const root = solveSlope(
    (beta) => {
      const at = meanDoubt(gaps, beta);
      return { slope: doubt - at.doubt, curvature: -at.derivative };
    },
    { guess: Math.min((doubt - uniform.doubt) / uniform.derivative, Number.MAX_VALUE), tolerance: TOLERANCE * doubt },
  );
  return fittedTemperature(root, null, doubt);
}
