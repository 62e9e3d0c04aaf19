import { describe, expect, it } from 'vitest';
import { scoreRow } from '../../../src/engine/rows/score-row.js';

const row = (logits: (number | undefined)[], maxLogit = 3, totalWeight = 2) =>
  scoreRow('q1', { kind: 'logits', logits, maxLogit, totalWeight }, 9);

describe('scoreRow', () => {
  it('has raw logits, logZ = maxLogit + ln(totalWeight) and the mass of the options', () => {
    const scored = row([3, 1]);
    expect(scored).toMatchObject({ status: 'ok', id: 'q1', promptTokens: 9 });
    if (scored.status !== 'ok') throw new Error('expected a scored row');
    expect([...Array.from(scored.logits)]).toEqual([3, 1]);
    expect(scored.logZ).toBeCloseTo(3 + Math.log(2), 12);
    expect(scored.optionMass).toBeCloseTo(0.5 + Math.exp(-2) / 2, 12);
  });

  it.each([
    [[Number.NaN, 1, 2, 3], 'option 1 is NaN'],
    [[-Infinity, -Infinity, -Infinity, -Infinity], 'option 1 is -Infinity'],
    [[1, undefined, 2, 3], 'option 2 is missing'],
  ])('fails on %j and never gives a number', (logits, reason) => {
    expect(row(logits)).toMatchObject({ status: 'failed', reason: expect.stringContaining(reason) });
    expect(row(logits)).not.toHaveProperty('logits');
  });

  it('fails when the sum over the vocabulary is not finite', () => {
    expect(row([1, 2], 3, Number.NaN)).toMatchObject({ status: 'failed' });
  });

  it('fails when the sum over the vocabulary was cut', () => {
    expect(row([3, 1], 3, 0.5)).toMatchObject({ status: 'failed', reason: expect.stringContaining('is 0.5') });
    expect(row([3, 1], 3, 1 - 1e-6)).toMatchObject({ status: 'failed', reason: expect.stringContaining('1.13') });
    expect(row([3, 3, 3], 3, 2)).toMatchObject({ status: 'failed', reason: expect.stringContaining('1.4999') });
    expect(row([3, -20], 3, 1 - 1e-6)).toMatchObject({ status: 'ok', optionMass: 1 });
  });

  it('fails when an option is above the maximum of the vocabulary', () => {
    expect(row([1, 3.5], 3, 2)).toMatchObject({
      status: 'failed',
      reason: 'the logit of option 2 is 3.5, above the maximum of the vocabulary (3)',
    });
  });

  it('fails with the message of the backend', () => {
    expect(scoreRow('q1', { kind: 'error', message: 'no KV slot' }, 9)).toMatchObject({
      status: 'failed',
      reason: 'evaluation failed: no KV slot',
    });
  });
});
