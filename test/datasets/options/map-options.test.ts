import { describe, expect, it } from 'vitest';
import type { Dataset } from '../../../src/datasets/example/example.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const seen = ({ examples }: Dataset) => examples.map(({ id, options, label }) => [id, options, label]);

describe('options as a map from letter to text', () => {
  const load = (rows: readonly unknown[], label: unknown = 'key') => {
    folder.write('map.jsonl', lines(rows));
    return folder.load({ source: 'map.jsonl', fields: { id: 'id', options: { map: 'options' }, label } });
  };

  it('have as many as the row has, in the order of the letters; null entries are none', async () => {
    const rows = [
      { id: 'r1', options: { B: 'two', A: 'one' }, key: 'B' },
      { id: 'r2', options: { A: 'one', B: 'two', C: 'three', D: null, E: null }, key: 'C' },
      { id: 'r3', options: { A: 'one', B: null, C: 'three' }, key: 'C' },
      { id: 'r4', options: { 10: 'ten', 9: 'nine' }, key: 10 },
      { id: 'r5', options: { A: 'one', B: 'two' }, key: null },
    ];
    expect(seen(await load(rows))).toEqual([
      ['r1', ['one', 'two'], 1],
      ['r2', ['one', 'two', 'three'], 2],
      ['r3', ['one', 'three'], 1],
      ['r4', ['nine', 'ten'], 1],
      ['r5', ['one', 'two'], null],
    ]);
  });

  it('take a text or an index as label where the YAML says so', async () => {
    const row = { id: 'r1', options: { A: 'one', B: 'two' }, key: 'two' };
    expect(seen(await load([row], { field: 'key', as: 'text' }))).toEqual([['r1', ['one', 'two'], 1]]);
    expect(seen(await load([{ ...row, key: 0 }], { field: 'key', labelBase: 0 }))).toEqual([['r1', ['one', 'two'], 0]]);
  });

  it.each([
    [{ A: 'one', B: 'two', C: null }, 'C', /the label "C" is none of the row's own: A, B/],
    [{ question: 'one', B: 'two' }, 'B', /the key "question" is no letter and no number/],
    [{ A: 'one', B: ['two'] }, 'B', /option B is a list; expected a text/],
    [{ A: 'one' }, 'A', /expected at least 2 options, found 1/],
    [['one', 'two'], 'A', /expected an object from letter to option text, found a list/],
  ])('%j with the label %s is refused', async (options, key, message) => {
    expect((await refusal(load([{ id: 'r1', options, key }]))).join()).toMatch(message);
  });
});

describe('more than one right answer', () => {
  const rows = [
    { id: 'r1', choices: ['x', 'y', 'z'], answer: ['B'] },
    { id: 'r2', choices: ['x', 'y', 'z'], answer: ['C', 'A', 'C'] },
    { id: 'r3', choices: ['x', 'y', 'z'], answer: ['B', 'A'] },
    { id: 'r4', choices: ['x', 'y', 'z'], answer: [] },
    { id: 'r5', choices: ['x', 'y', 'z'], answer: ['A', ' A'] },
  ];
  const load = (severalAnswers?: string) => {
    folder.write('several.jsonl', lines(rows));
    const fields = { id: 'id', options: 'choices', label: { field: 'answer', as: 'letter' } };
    return folder.load({ source: 'several.jsonl', fields, severalAnswers });
  };
  const labels = ({ examples }: Dataset) => Object.fromEntries(examples.map(({ id, label }) => [id, label]));

  it('is refused with the row; one answer given twice is one', async () => {
    expect(await refusal(load())).toEqual(
      ['r2', 'r3'].map((id) =>
        expect.stringMatching(new RegExp(`several.jsonl:\\d answer ${id}: more than one answer`)),
      ),
    );
  });

  it('is left out, or chosen by a rule that the data set records', async () => {
    const skipped = await load('skip');
    expect(labels(skipped)).toEqual({ r1: 1, r4: null, r5: 0 });
    expect(skipped.leftOut.map(({ id, reason }) => [id, reason])).toEqual([
      ['r2', 'more than one answer is right'],
      ['r3', 'more than one answer is right'],
    ]);
    const first = await load('first');
    expect(labels(first)).toEqual({ r1: 1, r2: 2, r3: 1, r4: null, r5: 0 });
    expect(first.rules).toContain('of several right answers: the first');
    expect(await refusal(load('most'))).toEqual([expect.stringMatching(/answer r3: more than one answer is right/)]);
  });

  it('of a map of truths is the first, and the others are no options any more', async () => {
    const map = { id: 'r1', truths: { x: 0, y: 1, z: 1 } };
    folder.write('truths.jsonl', lines([map]));
    const yaml = { source: 'truths.jsonl', fields: { id: 'id', options: { truth: 'truths', seed: 1 } } };
    expect((await refusal(folder.load(yaml))).join()).toMatch(/truths r1: more than one answer is right/);
    const { examples } = await folder.load({ ...yaml, severalAnswers: 'first' });
    expect([...examples[0]!.options].sort()).toEqual(['x', 'y']);
    expect(examples[0]!.options[examples[0]!.label!]).toBe('y');
  });
});
