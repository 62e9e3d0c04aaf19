import { describe, expect, it } from 'vitest';
import { tokenisingLines } from '../../../src/cli/terminal/tokenising-lines.js';

describe('tokenisingLines', () => {
  it('says every five seconds how far it is, and nothing of short work', () => {
    const lines: string[] = [];
    let now = 0;
    const tell = tokenisingLines(
      (line) => lines.push(line),
      () => now,
    );
    tell('a', 500, 2_000);
    now = 4_999;
    tell('a', 1_000, 2_000);
    expect(lines).toEqual([]);
    now = 5_000;
    tell('a', 1_500, 2_000);
    tell('a', 2_000, 2_000);
    expect(lines).toEqual(['tokenising for a: 1500 of 2000 prompts']);
  });
});
