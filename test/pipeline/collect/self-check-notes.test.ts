import { describe, expect, it } from 'vitest';
import { selfCheckNotes } from '../../../src/pipeline/collect/self-check-notes.js';

const model = (name: string, maxDifference: number, backend = 'cuda') => ({
  model: name,
  facts: { backend, selfCheck: { maxDifference, tolerance: 0.1 } },
});

describe('selfCheckNotes', () => {
  it('says nothing of a model that gives a row the same logits to 1e-4', () => {
    expect(selfCheckNotes('d', [model('m', 1e-4)])).toEqual([]);
  });

  it('tells the largest measured difference of a backend once, with the tolerance', () => {
    expect(selfCheckNotes('d', [model('a', 0.007), model('b', 0.021), model('c', 0.05, 'vulkan')])).toEqual([
      'd: the option scores of one prompt differ by 0.050 (c, the most of 1, alone and in a batch), within the 0.1 that vulkan is allowed',
      'd: the option scores of one prompt differ by 0.021 (b, the most of 2, alone and in a batch), within the 0.1 that cuda is allowed',
    ]);
  });

  it('counts near ties of every model by its own difference', () => {
    const model = (id: string, maxDifference: number) => ({
      model: id,
      facts: { backend: 'cuda', selfCheck: { maxDifference, tolerance: 0.1, compared: 4, flips: 0 } },
      nearTies: (gap: number) => Math.round(1000 * gap),
    });
    const [note, ...others] = selfCheckNotes('d', [model('a', 0.01), model('b', 0.03), model('c', 0.0002)]);
    expect(others).toEqual([]);
    expect(note).toMatch(/\(b, the most of 3,.*; 60 answers lie nearer .*; so near, by their own differences: a 20$/);
  });

  it('on a CPU notes any difference of entries that promise none, with what it moves', () => {
    const facts = { backend: 'cpu', selfCheck: { maxDifference: 2e-6, tolerance: 0, compared: 5, flips: 1 } };
    expect(selfCheckNotes('d', [{ model: 'm', facts, nearTies: (gap) => (gap === 4e-6 ? 3 : 0) }])).toEqual([
      'd: the option scores of 5 prompts differ by up to 0.0000020 (m, alone and in a batch), more than the 0 that cpu is allowed; it flips 1 of their answers; 3 answers lie nearer to a tie than twice that',
    ]);
    expect(selfCheckNotes('d', [model('older', 5e-5, 'cpu')])).toEqual([]);
  });

  it('says what such differences move in all rows, beside the standard error', () => {
    const moves = (difference: number) => ({ flips: 10 * difference, ece: { moved: 0.0004, se: 0.0123 } });
    const [note] = selfCheckNotes('d', [{ ...model('m', 0.02), moves }]);
    expect(note).toMatch(
      /; drawn anew in every row, such differences flip 0\.20 answers and move its ECE without calibration by 0\.040 pp, whose standard error is 1\.2 pp$/,
    );
    const [unlabelled] = selfCheckNotes('d', [{ ...model('m', 0.02), moves: () => ({ flips: 3, ece: null }) }]);
    expect(unlabelled).toMatch(/such differences flip 3\.0 answers$/);
  });

  it('names every model beyond the tolerance', () => {
    const notes = selfCheckNotes('d', [model('a', 0.3), model('b', 0.4), model('c', 0.01)]);
    expect(notes).toHaveLength(3);
    expect(notes[0]).toContain('0.30 (a, alone and in a batch), more than the 0.1');
    expect(notes[1]).toContain('0.40 (b,');
  });

  it('says nothing where nothing was compared: one prompt, imported scores, no facts', () => {
    const facts = [null, undefined, { unit: 'logits' }, { backend: 'cuda' }];
    expect(
      selfCheckNotes(
        'd',
        facts.map((each) => ({ model: 'm', facts: each })),
      ),
    ).toEqual([]);
  });
});
