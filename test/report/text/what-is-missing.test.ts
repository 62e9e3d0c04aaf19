import { describe, expect, it } from 'vitest';
import { missingParts } from '../../../src/report/text/what-is-missing.js';

const summary = ['d', 'e'].map((dataset) => ({ dataset }) as never);
const left = (model: string, dataset: string, example: string | null = null) => ({
  model,
  dataset,
  example,
  reason: 'why',
});

describe('missingParts', () => {
  it('calls a model failed only where it is missing on every data set', () => {
    const skipped = [left('a', 'd'), left('b', 'd'), left('b', 'e'), left('c', 'd', 'q1')];
    expect(missingParts({ skipped, summary }, (text) => text)).toEqual([
      '1 model failed (b)',
      '1 model left out on some data sets (a on d)',
      '1 example score missing',
    ]);
  });
});
