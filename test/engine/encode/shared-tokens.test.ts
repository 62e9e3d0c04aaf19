import { describe, expect, it } from 'vitest';
import { LEAST_SHARED_TOKENS } from '../../../src/contract/shared-beginning.js';
import { beginsWith, sharedTokens } from '../../../src/engine/encode/shared-tokens.js';

const prompt = (tokens: number[]) => ({
  kind: 'ok' as const,
  id: 'q',
  tokens: Uint32Array.from(tokens),
  optionIds: [1],
});
const same = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('sharedTokens', () => {
  it('keeps what two prompts share, less two tokens that the tokenizer may join with the next text', () => {
    const shared = [...same(50)];
    expect(sharedTokens([prompt([...shared, 7]), prompt([...shared, 8])])).toEqual(same(48));
  });

  it('keeps nothing of a beginning that is too short to pay', () => {
    const pair = (count: number) => [prompt([...same(count), 7]), prompt([...same(count), 8])];
    expect(sharedTokens(pair(LEAST_SHARED_TOKENS + 2))).toHaveLength(LEAST_SHARED_TOKENS);
    expect(sharedTokens(pair(LEAST_SHARED_TOKENS + 1))).toEqual([]);
  });

  it('keeps nothing where a prompt was refused or there is one only', () => {
    expect(sharedTokens([prompt(same(60)), { kind: 'refused', id: 'r', reason: 'no' }])).toEqual([]);
    expect(sharedTokens([{ kind: 'refused', id: 'r', reason: 'no' }, prompt(same(60))])).toEqual([]);
    expect([sharedTokens([prompt(same(60))]), sharedTokens([])]).toEqual([[], []]);
  });
});

describe('beginsWith', () => {
  it('asks for a token after the shared ones', () => {
    expect(beginsWith(Uint32Array.of(1, 2, 3), [1, 2])).toBe(true);
    expect(beginsWith(Uint32Array.of(1, 2), [1, 2])).toBe(false);
    expect(beginsWith(Uint32Array.of(1, 3, 3), [1, 2])).toBe(false);
  });
});
