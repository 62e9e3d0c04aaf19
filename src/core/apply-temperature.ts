import { SupportCalError } from '../errors/supportcal-error.js';
import { isMeasurableRow } from '../numeric/logit-limits.js';
import { calibratedPrediction, type Prediction } from './calibrated-prediction.js';

/** What holds a temperature: an artefact, what `fitArtefact` gives, or an object of one's own. */
export interface HasTemperature {
  /** beta = 1 / tau; 0 for an infinite temperature; null where a fit found none. */
  readonly inverseTemperature: number | null;
}

/**
 * q = softmax(beta z) over the K option logits of one question.
 *
 * @param logits K numbers of any base; -Infinity for an option of probability 0
 * @param calibration beta = 1 / tau itself, or what holds it
 * @throws SupportCalError bad-input: fewer than two options, a value that is no logit, or a beta that is none
 */
export function applyTemperature(logits: ArrayLike<number>, calibration: number | HasTemperature): Prediction {
  const inverseTemperature = inverseOf(calibration);
  const values = checkedLogits(logits);
  return calibratedPrediction(values, inverseTemperature);
}

function inverseOf(calibration: number | HasTemperature): number {
  const value: unknown =
    typeof calibration === 'object' && calibration !== null ? calibration.inverseTemperature : calibration;
  if (value === null) throw fault('calibration', 'it has no temperature: its fit ended as "none"; take another method');
  if (typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY) return value;
  const expected = 'expected 1 / temperature, a number of 0 or more, or an artefact with `inverseTemperature`';
  throw fault('calibration', `${expected}, found ${shown(value)}`);
}

function checkedLogits(logits: ArrayLike<number>): Float64Array {
  const list: unknown = logits;
  const isList = Array.isArray(list) || ArrayBuffer.isView(list);
  if (!isList || logits.length === 0)
    throw fault('logits', `expected one number for each option of one question, found ${shown(list)}`);
  const wrong = Array.from(logits).findIndex((value: unknown) => typeof value !== 'number');
  if (wrong !== -1) throw fault(`logits.${wrong}`, `expected a number, found ${shown(logits[wrong])}`);
  if (logits.length === 1) throw fault('logits', 'expected the numbers of two options or more, found one');
  const values = Float64Array.from(logits);
  if (isMeasurableRow(values)) return values;
  throw fault('logits', 'expected finite numbers, or -Infinity for some but not all options');
}

function fault(field: string, message: string): SupportCalError {
  return new SupportCalError('bad-input', { field, message });
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
