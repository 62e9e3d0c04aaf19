import { describe, expect, it } from 'vitest';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();

function load(
  answers: readonly unknown[],
  label: unknown,
  extra: Record<string, unknown> = {},
  options = ['w', 'x', 'y', 'z'],
) {
  folder.write('rows.jsonl', lines(answers.map((answer, n) => ({ id: `r${n}`, options, answer }))));
  return folder.load({ source: 'rows.jsonl', fields: { id: 'id', options: 'options', label }, ...extra });
}

const read = async (...args: Parameters<typeof load>) => (await load(...args)).examples.map((example) => example.label);
const index = (labelBase: number) => ({ field: 'answer', as: 'index', labelBase });

describe('labels by index', () => {
  it('take numbers, numeric text and 2.0, from the declared base', async () => {
    expect(await read([1, '2', 3.0, ' 4 ', '2.0'], index(1))).toEqual([0, 1, 2, 3, 1]);
    expect(await read([0, '1', 2, 3], index(0))).toEqual([0, 1, 2, 3]);
    expect(await read([1, 4], 'answer', { labelBase: 1 })).toEqual([0, 3]);
  });

  it('out of range are refused by line', async () => {
    expect(await refusal(load([0, 1, 2, 3], index(1)))).toEqual([
      expect.stringMatching(/rows\.jsonl:1 answer r0: the label 0 is out of range; expected 1 to 4/),
    ]);
    expect(await refusal(load([1, 4, 2, 4], index(0)))).toEqual([
      expect.stringMatching(/:2 answer r1: the label 4/),
      expect.stringMatching(/:4 answer r3: the label 4/),
    ]);
  });

  it('that are no whole numbers are refused', async () => {
    expect(await refusal(load([1, 1.5, 'B', true, [[1]]], index(1)))).toHaveLength(4);
  });

  it('need a base: it is never guessed', async () => {
    for (const label of ['answer', { field: 'answer', as: 'index' }]) {
      expect(await refusal(load([1, 2, 3, 4], label))).toEqual([
        expect.stringMatching(/trial\.yaml:3 fields\.label -: .*`labelBase: 0` or `labelBase: 1`/),
      ]);
    }
  });

  it('with two bases declared are refused', async () => {
    expect(await refusal(load([1], index(1), { labelBase: 0 }))).toEqual([expect.stringContaining('keep one')]);
  });
});

describe('unlabelled rows', () => {
  it('have null, an empty text or -1, and are counted', async () => {
    const dataset = await load([null, '', ' ', -1, '-1', 2], index(1));
    expect(dataset.examples.map((example) => example.label)).toEqual([null, null, null, null, null, 1]);
    expect(dataset.warnings).toContainEqual(expect.stringMatching(/^5 of 6 rows without a label/));
    expect(await read([-1, -1], index(1))).toEqual([null, null]);
    expect(await read([-1, 'B', null], 'answer')).toEqual([null, 1, null]);
  });

  it('are all there is when no label field is named', async () => {
    folder.write('rows.jsonl', lines([{ id: 'a', options: ['x', 'y'] }]));
    const dataset = await folder.load({ source: 'rows.jsonl', fields: { id: 'id', options: 'options' } });
    expect([dataset.examples[0]!.label, dataset.warnings]).toEqual([null, []]);
  });
});

describe('labels by letter', () => {
  it('ignore case and surrounding space', async () => {
    expect(await read(['A', 'b ', ' C', 'd'], 'answer')).toEqual([0, 1, 2, 3]);
  });

  it('follow the labels of the prompt', async () => {
    const prompt = { template: 't', optionLabels: ['I', 'II', 'III', 'IV'] };
    expect(await read(['ii', 'IV', 'I', 'III'], { field: 'answer', as: 'letter' }, { prompt })).toEqual([1, 3, 0, 2]);
    const digits = { template: 't', optionLabels: 'digits' };
    expect(await read(['1', 'D', 4], { field: 'answer', as: 'letter' }, { prompt: digits })).toEqual([0, 3, 3]);
  });

  it('beyond the options of their row are refused, inferred or declared', async () => {
    expect(await refusal(load(['A', 'E', 'B'], 'answer'))).toEqual([
      expect.stringMatching(/:2 answer r1: the label "E" is out of range for 4 options/),
    ]);
  });
});

describe('labels by text', () => {
  it('equal one option after NFC and trimming', async () => {
    const options = ['caf\u00e9', 'tea', 'constructor'];
    expect(await read(['cafe\u0301 ', 'tea', 'constructor'], 'answer', {}, options)).toEqual([0, 1, 2]);
  });

  it('that equal no option or two are refused', async () => {
    expect(
      await refusal(load(['same', 'other', 'none'], { field: 'answer', as: 'text' }, {}, ['same', 'other', 'same'])),
    ).toEqual([
      expect.stringMatching(/:1 answer r0: the label "same" equals options 1 and 3/),
      expect.stringMatching(/:3 answer r2: the label "none" equals no option/),
    ]);
  });

  it('may be numbers when no base reads them as positions', async () => {
    expect(await read([20, 10, 40], 'answer', {}, ['10', '20', '30', '40'])).toEqual([1, 0, 3]);
  });
});

describe('inference', () => {
  it('takes bare letters as options in either reading when both agree', async () => {
    expect(await read(['A', 'B'], 'answer', {}, ['A', 'B'])).toEqual([0, 1]);
  });

  it('refuses to choose between readings that differ, and says what to write', async () => {
    expect(await refusal(load(['A', 'B'], 'answer', {}, ['B', 'A']))).toEqual([
      expect.stringMatching(
        /can be read as letter and as text, with different results; write `label: \{field: answer, as: letter\}`/,
      ),
    ]);
    expect(await refusal(load([1, 2], 'answer', {}, ['2', '1']))).toEqual([
      expect.stringContaining('as index and as text'),
    ]);
    expect(await read(['A', 'B'], { field: 'answer', as: 'text' }, {}, ['B', 'A'])).toEqual([1, 0]);
  });

  it('counts the forms when there is no single one', async () => {
    expect(await refusal(load([1, 'A', 'w', 2], 'answer'))).toEqual([
      expect.stringContaining('(of 4: 2 look like an index, 2 like a letter, 1 equal one option)'),
    ]);
  });

  it('points at the few rows that differ from all others', async () => {
    expect(await refusal(load(['north', 'east', 'west', 'up'], 'answer', {}, ['north', 'east', 'west']))).toEqual([
      expect.stringMatching(/:4 answer r3: the label "up" equals no option: "north", "east", "west"/),
    ]);
  });
});
