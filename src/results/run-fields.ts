import type { MethodOutcome } from '../calibration/calibrate-target.js';
import type { TemperatureOutcome } from '../calibration/fit/temperature-outcome.js';
import { METRICS, type Measurement, type MetricField } from '../metrics/metrics.js';

/** beta to evaluate with: 0 for an infinite temperature; null when there is no calibrated distribution. */
export function inverseTemperatureOf({ method, outcome }: MethodOutcome): number | null {
  if (method === 'vanilla') return 1;
  if (outcome.kind === 'finite') return outcome.inverseTemperature;
  return outcome.kind === 'infinite' ? 0 : null;
}

/** Name, temperature and references of a run; `fitted` null: a method that fits no temperature. */
export function outcomeFields(method: string, fitted: MethodOutcome | null) {
  return {
    method,
    combinationSize: fitted?.combinationSize ?? null,
    ...temperatureFields(fitted),
    selectedReferences: fitted?.selectedReferences == null ? null : [...fitted.selectedReferences],
    disagreementSupport: fitted?.disagreementSupport ?? null,
    estimatedAccuracy: fitted?.estimatedAccuracy ?? null,
  };
}

/** Vanilla has no fitted temperature: its kind is `none`, like every method that is no temperature scaling. */
function temperatureFields(fitted: MethodOutcome | null) {
  if (fitted === null || fitted.method === 'vanilla') {
    return {
      temperature: null,
      temperatureKind: 'none' as const,
      temperatureReason: null,
      ...NO_FIT,
      weightedBoundaryMargin: null,
    };
  }
  const { outcome } = fitted;
  return {
    temperature: outcome.kind === 'finite' ? outcome.temperature : null,
    temperatureKind: outcome.kind,
    temperatureReason: outcome.kind === 'none' ? outcome.reason : null,
    ...fitFields(outcome),
    weightedBoundaryMargin: outcome.weightedBoundaryMargin,
  };
}

const NO_FIT = { converged: null, fitResidual: null, fitIterations: null };

/** How the fit ended; a temperature without iterations was given, not fitted. A fit that does not converge throws. */
function fitFields(outcome: TemperatureOutcome) {
  if (outcome.kind === 'none') return NO_FIT;
  if (outcome.kind === 'infinite') return { converged: true, fitResidual: null, fitIterations: 0 };
  if (outcome.iterations === 0) return NO_FIT;
  return { converged: true, fitResidual: outcome.residual, fitIterations: outcome.iterations };
}

/** The metrics of a run, in the order of their table; null where one cannot be computed. */
export function metricFields(
  measurement: Measurement,
): Record<MetricField, number | null> & { readonly nllKind?: 'infinite' } {
  const fields = METRICS.map(({ field, of }) => [field, of(measurement) ?? null]);
  const metrics = Object.fromEntries(fields) as Record<MetricField, number | null>;
  return measurement.evaluation?.nll === Number.POSITIVE_INFINITY ? { ...metrics, nllKind: 'infinite' } : metrics;
}
