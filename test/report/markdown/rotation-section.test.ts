import { describe, expect, it } from 'vitest';
import { rotationSection } from '../../../src/report/markdown/rotation-section.js';
import type { PaperTable } from '../../../src/report/table/paper-table.js';

const TABLE = { dataset: 'quiz', columns: [], rows: [] } as unknown as PaperTable;
const cost = (target: string, firstEvaluated: boolean) => ({
  dataset: 'quiz',
  target,
  examples: 10,
  plainPasses: 10,
  forwardPasses: firstEvaluated ? 40 : 30,
  plainTokens: 1000,
  tokens: 2000,
  unsharedTokens: 4000,
  firstEvaluated,
  largestDifference: 0,
});

describe('rotationSection', () => {
  it('says what CAPE adds to the plain pass, and what it costs as a whole', () => {
    const text = rotationSection(TABLE, [], { rotations: [cost('t', false)] }).join('\n');
    // 2,000 of 4 x 1,000 tokens more; with the plain 1,000 three quarters of four plain passes.
    expect(text).toContain('| t | 10 | 30 | 1,000 | 2,000 | 0.50 | 0.75 | 3.00 |');
  });

  it('does not count the plain pass where the first order was evaluated again', () => {
    const text = rotationSection(TABLE, [], { rotations: [cost('t', true)] }).join('\n');
    expect(text).toContain('| t | 10 | 40 | 1,000 | 2,000 | 0.50 | 0.50 | 2.00 |');
  });

  it('names ten of the examples whose options speak of their place, and counts the others', () => {
    const ids = Array.from({ length: 12 }, (_, n) => `q${n}`);
    const found = { dataset: 'quiz', examples: 12, options: 15, ids };
    const text = rotationSection(TABLE, [], { positionReferences: [found] }).join('\n');
    expect(text).toMatch(/15 options in 12 examples .*: q0, .*, q9, and 2 more \(all in diagnostics\.json\)\./);
  });
});
