import { expect, test } from 'vitest';
import { calibratedPrediction } from '../../src/core/calibrated-prediction.js';

test('a finite temperature divides the logits before the softmax; the prediction stays', () => {
  // softmax([2, 0] / 2): e / (e + 1)
  const { prediction, confidence, rawConfidence, probabilities } = calibratedPrediction([2, 0], 0.5);
  expect(prediction).toBe(0);
  expect(confidence).toBeCloseTo(Math.E / (Math.E + 1), 15);
  expect(rawConfidence).toBeCloseTo(Math.E ** 2 / (Math.E ** 2 + 1), 15);
  expect(probabilities[0]! + probabilities[1]!).toBeCloseTo(1, 15);
});

test('an infinite temperature gives every option 1/K, whatever the logits', () => {
  expect(calibratedPrediction([1e4, -900, 3, 0, 0], 0)).toMatchObject({
    prediction: 0,
    confidence: 0.2,
    probabilities: [0.2, 0.2, 0.2, 0.2, 0.2],
  });
});

test('a tie goes to the lowest index', () => {
  expect(calibratedPrediction([1, 5, 5], 0.1).prediction).toBe(1);
});
