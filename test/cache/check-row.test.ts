import { describe, expect, it } from 'vitest';
import { rowFault } from '../../src/cache/check-row.js';
import type { ModelRow, ReplyRow } from '../../src/contract/scored-row.js';

const INT32_MAX = 2_147_483_647;
const ok = { status: 'ok', id: 'a', logits: [1, 2], logZ: 3, optionMass: 0.5, promptTokens: 4 } as const;
const failed = { status: 'failed', id: 'a', reason: 'over-long', promptTokens: 0 } as const;
const parsed = { verdict: 'parsed', answer: 0, confidence: 50 } as const;
const reply: ReplyRow = {
  status: 'replied',
  id: 'a',
  text: 'A',
  replyTokens: 1,
  ended: true,
  seed: 0,
  promptTokens: 4,
  parsed,
};
const refused = { verdict: 'refusal', answer: -1, confidence: Number.NaN } as const;

describe('rowFault', () => {
  it.each<[string, ModelRow]>([
    ['a scored row', ok],
    ['unknown logZ and mass', { ...ok, logZ: Number.NaN, optionMass: Number.NaN, promptTokens: INT32_MAX }],
    ['a mass of 0', { ...ok, optionMass: 0 }],
    ['a failed row', failed],
    ['an option that was not told', { ...ok, untold: 2 }],
    ['a reply', { ...reply, seed: INT32_MAX, replyTokens: 0 }],
    ['a long reply that only answers were allowed in', { ...reply, replyTokens: INT32_MAX, allowedMass: 1 }],
    ['a confidence of 0', { ...reply, parsed: { ...parsed, confidence: 0 } }],
    ['a confidence of 100', { ...reply, parsed: { ...parsed, confidence: 100 } }],
    ['a reply that says nothing', { ...reply, parsed: refused }],
  ])('finds nothing wrong with %s', (_, row) => {
    expect([rowFault(row, 'float32'), rowFault(row, 'float64')]).toEqual([null, null]);
  });

  it.each<[ModelRow, string]>([
    [{ ...ok, untold: 3 }, 'untold is 3 of 2 options'],
    [{ ...ok, id: '' }, 'the id is empty'],
    [{ ...failed, id: '\udc00' }, 'the id holds half of a surrogate pair, which no file can store'],
    ...[1.5, -1, INT32_MAX + 1].map((n): [ModelRow, string] => [{ ...ok, promptTokens: n }, `promptTokens is ${n}`]),
    [{ ...failed, reason: '' }, 'a failed row needs a reason'],
    [{ ...ok, logits: [1] }, '1 option logits came; at least 2 are needed'],
    [{ ...ok, logits: [1, Number.NaN] }, 'the logit of option 1 is NaN, not a finite float32 number'],
    [{ ...ok, logits: [1e39, 1] }, 'the logit of option 0 is 1e+39, not a finite float32 number'],
    [
      { ...ok, logits: [0, Number.NEGATIVE_INFINITY] },
      'the logit of option 1 is -Infinity, not a finite float32 number',
    ],
    [{ ...ok, logZ: Number.POSITIVE_INFINITY }, 'logZ is Infinity'],
    [{ ...ok, logZ: Number.NEGATIVE_INFINITY }, 'logZ is -Infinity'],
    [{ ...ok, optionMass: -0.1 }, 'optionMass is -0.1'],
    [{ ...ok, optionMass: Number.POSITIVE_INFINITY }, 'optionMass is Infinity'],
    ...[1.5, -1, INT32_MAX + 1].flatMap((n): [ModelRow, string][] => [
      [{ ...reply, replyTokens: n }, `replyTokens is ${n}`],
      [{ ...reply, seed: n }, `the seed is ${n}`],
    ]),
    ...[-0.1, 1.1, Number.NaN].map((n): [ModelRow, string] => [{ ...reply, allowedMass: n }, `allowedMass is ${n}`]),
    [{ ...reply, parsed: { ...refused, answer: 0 } }, 'answer is 0, but the verdict is refusal'],
    [{ ...reply, parsed: { ...parsed, answer: -1 } }, 'answer is -1'],
    [{ ...reply, parsed: { ...parsed, answer: 0.5 } }, 'answer is 0.5'],
    ...[-1, 101, Number.NaN].map((n): [ModelRow, string] => [
      { ...reply, parsed: { ...parsed, confidence: n } },
      `confidence is ${n}`,
    ]),
  ])('of %j says what is wrong', (row, fault) => {
    expect(rowFault(row, 'float32')).toBe(fault);
  });

  it('of a reply that nobody read says so', () => {
    const { parsed: _, ...unread } = reply;
    expect(rowFault(unread, 'float32')).toBe('the reply has not been read');
  });

  it('lets an import give options the probability 0, but not all of them', () => {
    const impossible = Number.NEGATIVE_INFINITY;
    expect(rowFault({ ...ok, logits: [0, impossible] }, 'float64')).toBeNull();
    expect(rowFault({ ...ok, logits: [1e39, 0] }, 'float64')).toBeNull();
    expect(rowFault({ ...ok, logits: [impossible, impossible] }, 'float64')).toBe('every option has the probability 0');
    expect(rowFault({ ...ok, logits: [impossible, Number.POSITIVE_INFINITY] }, 'float64')).toBe(
      'the logit of option 1 is Infinity, not a finite float64 number',
    );
  });
});
