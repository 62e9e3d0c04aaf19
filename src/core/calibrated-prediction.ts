import { argmax } from '../numeric/argmax.js';
import { softmax } from '../numeric/softmax.js';

/** What a calibrated model says of one question with K options. */
export interface Prediction {
  /** 0-based; ties go to the lowest index. A temperature never changes it. */
  readonly prediction: number;
  /** Probability of the prediction, calibrated and as the model is; in (0, 1]. */
  readonly confidence: number;
  readonly rawConfidence: number;
  /** K calibrated probabilities in option order; their sum is 1. */
  readonly probabilities: readonly number[];
}

/**
 * q = softmax(beta z) over the K option logits of one question that are known to be logits; `applyTemperature` checks
 * them.
 *
 * @param inverseTemperature beta = 1 / tau; 0 (an infinite temperature): every option has 1/K
 */
export function calibratedPrediction(logits: ArrayLike<number>, inverseTemperature: number): Prediction {
  const prediction = argmax(logits);
  const probabilities = softmax(logits, inverseTemperature);
  return {
    prediction,
    confidence: probabilities[prediction] ?? Number.NaN,
    rawConfidence: softmax(logits)[prediction] ?? Number.NaN,
    probabilities: [...probabilities],
  };
}
