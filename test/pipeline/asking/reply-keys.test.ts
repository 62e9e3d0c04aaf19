import { describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import { replyWay } from '../../../src/pipeline/asking/reply-way.js';

const way = replyWay({
  name: 'elicitation',
  input: 'elicited',
  sampling: () => ({ samples: 1, temperature: 0, seed: 1 }),
});

function modeOf(form: object | null, temperature: number): string {
  const reply = { example: 'q', sample: 1, seed: 1, temperature, maxTokens: 9, form, options: [] };
  return way.scoringMode(undefined, [{ id: 'q#1', reply } as unknown as ExamplePrompt]);
}

describe('the key of replies', () => {
  it('is as it was where the grammar holds them, and for greedy free text', () => {
    expect(modeOf({}, 0)).toMatch(/^elicitation rules \d+$/);
    expect(modeOf({}, 0.7)).toBe(modeOf({}, 0));
    expect(modeOf(null, 0)).toMatch(/^elicitation rules \d+$/);
  });

  it('says how free text is drawn: with a sorted vocabulary the same seed drew other tokens', () => {
    expect(modeOf(null, 0.7)).toBe(`${modeOf(null, 0)}, drawn unsorted`);
  });
});
