import { describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import { lengthOutliers } from '../../../src/datasets/example/length-outliers.js';

const prompt = (id: string, length: number, before = ''): ExamplePrompt => ({
  id,
  text: before + id.padEnd(length, 'x').slice(0, length),
  mode: 'letter',
  continuations: ['A', 'B'],
  answerPrefix: null,
});
const tweets = (before = '') => Array.from({ length: 200 }, (_, n) => prompt(`t${n}`, 60 + (n % 90), before));

describe('lengthOutliers', () => {
  it('lists a text of 3,000 words among tweets, and one of two characters, by id and length', () => {
    expect(lengthOutliers(tweets())).toEqual([]);
    const [line, ...others] = lengthOutliers([...tweets(), prompt('monster', 12_000), prompt('stub', 2)]);
    expect(others).toEqual([]);
    expect(line).toMatch(
      /^2 rows of unusual length, beyond the quartiles of the logarithm.*: monster \(12000\), stub \(2\)$/,
    );
    expect(line).toContain('the middle half has 76 to 125 characters');
  });

  it('does not count a few-shot block, which would hide it', () => {
    const block = 'Example. '.repeat(500);
    expect(lengthOutliers([...tweets(block), prompt('monster', 2_000, block)])[0]).toContain('monster (2000)');
  });

  it('says nothing of few rows, of equal lengths, and of lengths that vary as questions do', () => {
    expect(lengthOutliers([prompt('a', 10), prompt('b', 10_000)])).toEqual([]);
    const equal = Array.from({ length: 100 }, (_, n) => prompt(`e${n}`, 40));
    expect(lengthOutliers([...equal, prompt('close', 60)])).toEqual([]);
    expect(lengthOutliers([...equal, prompt('far', 120)])[0]).toContain('far (120)');
    const spread = Array.from({ length: 300 }, (_, n) => prompt(`s${n}`, 2 + Math.round(10 * 1.015 ** n)));
    expect(lengthOutliers(spread)).toEqual([]);
  });
});
