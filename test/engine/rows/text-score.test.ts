import { describe, expect, it } from 'vitest';
import type { TextScoring } from '../../../src/engine/encode/encode-text-row.js';
import type { TextEvaluation } from '../../../src/engine/protocol/backend.js';
import { scoreText } from '../../../src/engine/rows/text-score.js';

const ROW = { id: 'q', promptTokens: 5 };

const read = (...logProbs: (number | undefined)[][]): TextEvaluation => ({ kind: 'logProbs', logProbs });

function scoring(normalize: TextScoring['normalize'], continuations = [[1, 2], [3]]): TextScoring {
  return { normalize, continuations, characters: [8, 2] };
}

function logits(...args: Parameters<typeof scoreText>): number[] {
  const row = scoreText(...args);
  if (row.status === 'failed') throw new Error(row.reason);
  return Array.from(row.logits);
}

describe('scoreText', () => {
  it('sums the log-probabilities of all tokens: -1 and -2 give -3', () => {
    expect(logits(ROW, scoring('sum'), read([-1, -2], [-0.5]), null)).toEqual([-3, -0.5]);
  });

  it('divides the sum by tokens or by characters', () => {
    expect(logits(ROW, scoring('mean-token'), read([-1, -2], [-0.5]), null)).toEqual([-1.5, -0.5]);
    expect(logits(ROW, scoring('per-char'), read([-1, -2], [-0.5]), null)).toEqual([-0.375, -0.25]);
  });

  it('pmi takes away what the texts are worth after the pmi prompt', () => {
    expect(logits(ROW, scoring('pmi'), read([-1, -2], [-0.5]), read([-3, -4], [-0.25]))).toEqual([4, -0.25]);
  });

  it('the mass is the probability of going on with an option; it is of the sums, whatever the normalisation', () => {
    const mass = (continuations: number[][], ...logProbs: number[][]) =>
      (scoreText(ROW, scoring('mean-token', continuations), read(...logProbs), null) as { optionMass: number })
        .optionMass;
    const half = Math.log(0.5);
    expect(mass([[1, 2], [3]], [half, half], [Math.log(0.25)])).toBeCloseTo(0.5, 12);
    // Twins are one event.
    expect(mass([[1], [1]], [half], [half])).toBeCloseTo(0.5, 12);
    // [1, 2] happens only where [1] does.
    expect(mass([[1, 2], [1]], [half, half], [half])).toBeCloseTo(0.5, 12);
    expect(mass([[1], [2]], [half], [half + 1e-6])).toBe(1);
  });

  it('a missing or non-finite number fails the row and says where', () => {
    const reasonOf = (evaluation: TextEvaluation, baseline: TextEvaluation | null = null) =>
      (scoreText(ROW, scoring('pmi'), evaluation, baseline) as { reason?: string }).reason;
    const good = read([-1, -2], [-0.5]);
    expect(reasonOf(read([-1, undefined], [-0.5]), good)).toBe(
      'the log-probability of token 2 of option 1 is missing; expected a finite number',
    );
    expect(reasonOf(read([-1, -2], [Number.NEGATIVE_INFINITY]), good)).toMatch(/token 1 of option 2 is -Infinity/);
    expect(reasonOf(good, read([Number.NaN, -2], [-1]))).toMatch(/option 1 after the pmi prompt is NaN/);
    expect(reasonOf({ kind: 'error', message: 'decode failed' }, good)).toBe('evaluation failed: decode failed');
  });

  it('a probability above 1, of a token or of the options together, fails the row: the sum was cut', () => {
    expect(scoreText(ROW, scoring('sum'), read([0.3, -2], [-0.5]), null)).toMatchObject({
      status: 'failed',
      reason: 'the log-probability of token 1 of option 1 is 0.3; expected 0 at most',
    });
    expect(scoreText(ROW, scoring('sum', [[1], [2]]), read([-0.01], [-0.01]), null)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/probability of 1\.98\d+ together; expected 1 at most/),
    });
  });
});
