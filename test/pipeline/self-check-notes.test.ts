import { describe, expect, it } from 'vitest';
import { selfCheckNotes } from '../../src/pipeline/self-check-notes.js';

const notes = (maxDifference: number) =>
  selfCheckNotes('d', 'm', { backend: 'cuda', selfCheck: { maxDifference, tolerance: 0.1 } });

describe('selfCheckNotes', () => {
  it('says nothing of a model that gives a row the same logits to 1e-4', () => {
    expect(notes(1e-4)).toEqual([]);
  });

  it('tells the measured difference and the tolerance of the backend', () => {
    expect(notes(0.021)).toEqual([
      'd, m: the option scores of one prompt differ by 0.021 alone and in a batch, within the 0.1 that cuda is allowed',
    ]);
    expect(notes(0.3)[0]).toContain('differ by 0.30 alone and in a batch, more than the 0.1');
  });

  it('says nothing where nothing was compared: one prompt, imported scores, no facts', () => {
    for (const facts of [null, undefined, { unit: 'logits' }, { backend: 'cuda' }])
      expect(selfCheckNotes('d', 'm', facts)).toEqual([]);
  });
});
