import { expect, it } from 'vitest';
import { byText } from '../../../src/scoring/endpoint/api/openai-api.js';
import { byTokenId, logProbability } from '../../../src/scoring/endpoint/api/served-api.js';

it('a log-probability is a number of 0 or less; nothing told is none, and another number fails its row', () => {
  expect([0, -3.5, 5e-4, -9999, -1e300].map(logProbability)).toEqual([0, -3.5, 0, -Infinity, -Infinity]);
  expect([undefined, null].map(logProbability)).toEqual([null, null]);
  for (const lie of [0.5, Infinity, Number.NaN, 1e300, '-1', true, {}])
    expect(() => logProbability(lie)).toThrow(
      expect.objectContaining({
        concerns: 'row',
        message: expect.stringMatching(/^the server tells the log-probability /),
      }),
    );
});

it('a token that is told twice has one log-probability, or fails its row', () => {
  const twice = byTokenId([
    [7, -1],
    [8, null],
    [7, -1.001],
    [9, -9999],
    [9, -1e5],
  ]);
  expect([...twice]).toEqual([
    [7, -1.001],
    [9, -Infinity],
  ]);
  const lies = [
    [7, -1],
    [7, -2],
  ] as const;
  expect(() => byTokenId(lies)).toThrow('the server tells two log-probabilities of token 7: -1 and -2');
});

it('of several tokens with one text the likelier counts, in whatever order they come', () => {
  const found = [
    ['A', -4],
    ['B', -2],
    ['A', -1],
    ['A', -9],
  ] as const;
  expect([...byText({ found, promptTokens: 1 }).byText]).toEqual([
    ['A', -1],
    ['B', -2],
  ]);
});
