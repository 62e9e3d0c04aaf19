import { expect, it } from 'vitest';
import { leftOutNotes } from '../../../src/pipeline/collect/self-check-notes.js';

it('rows that were left out for one reason make one line, cut after 50 ids with a count', () => {
  const shown = Array.from({ length: 53 }, (_, n) => ({ id: `s${n}`, reason: 'shown' }));
  const notes = leftOutNotes('quiz', [{ id: 'e', reason: 'option 2 is empty' }, ...shown]);
  expect(notes).toEqual([
    'quiz: left out (option 2 is empty), 1 in all: e',
    expect.stringMatching(/^quiz: left out \(shown\), 53 in all: s0, s1, .*, s49, and 3 more$/),
  ]);
  expect(leftOutNotes('quiz', [])).toEqual([]);
});
