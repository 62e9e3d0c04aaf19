import { expect, test } from 'vitest';
import { type PredictedRow, predictionHead, predictionLine } from '../../../src/pipeline/predict/prediction-line.js';

const row: PredictedRow = {
  id: '=1+2',
  status: 'ok',
  prediction: 1,
  predictionLabel: 'B',
  predictionText: 'a "b", c\nd',
  confidence: 0.75,
  rawConfidence: 0.9999,
  probabilities: [0.25, 0.75],
};

test('a JSON line is one line, whatever the text', () => {
  const line = predictionLine(row, 'jsonl');
  expect(line.trimEnd()).not.toContain('\n');
  expect(JSON.parse(line)).toEqual(row);
});

test('a CSV line defuses text and keeps numbers', () => {
  expect(predictionLine({ ...row, optionMass: 0.9, promptTokens: 31 }, 'csv')).toBe(
    `'=1+2,ok,1,B,"a ""b"", c\nd",0.75,0.9999,"[0.25,0.75]",,,0.9,31\n`,
  );
});

test('a failed question has as many cells as the head, and its reason', () => {
  const line = predictionLine({ id: 'q', status: 'failed', reason: 'too long' }, 'csv');
  expect(line).toBe('q,failed,,,,,,,too long,,,\n');
  expect(line.split(',')).toHaveLength(predictionHead('csv').split(',').length);
  expect(predictionHead('jsonl')).toBe('');
});
