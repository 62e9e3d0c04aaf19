import { calibratedPrediction } from '../../core/calibrated-prediction.js';
import { quantile } from '../../numeric/quantile.js';
import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import type { CalibrationArtefact } from './artefact-schema.js';

/**
 * What N rows of K option logits look like: how many options they have, and how sure the model is as it is and at the
 * inverse temperature beta.
 */
export function expectedRange(
  logits: RaggedRows,
  inverseTemperature: number,
): Omit<CalibrationArtefact['expected'], 'temperature'> {
  const [raw, calibrated] = [new Float64Array(logits.rowCount), new Float64Array(logits.rowCount)];
  const optionCounts: Record<string, number> = {};
  for (let n = 0; n < logits.rowCount; n++) {
    const row = rowOf(logits, n);
    const { confidence, rawConfidence } = calibratedPrediction(row, inverseTemperature);
    raw[n] = rawConfidence;
    calibrated[n] = confidence;
    optionCounts[row.length] = (optionCounts[row.length] ?? 0) + 1;
  }
  return { optionCounts, rawConfidence: rangeOf(raw), confidence: rangeOf(calibrated) };
}

function rangeOf(values: Float64Array) {
  const ascending = values.toSorted();
  return { low: quantile(ascending, 0.05), median: quantile(ascending, 0.5), high: quantile(ascending, 0.95) };
}
