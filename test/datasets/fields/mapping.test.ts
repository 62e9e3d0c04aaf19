import { describe, expect, it } from 'vitest';
import type { Dataset } from '../../../src/datasets/example/example.js';
import { letteredOptions } from '../../../src/datasets/options/lettered-options.js';
import { truthOptions } from '../../../src/datasets/options/truth-options.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const load = (rows: readonly unknown[], yaml: Record<string, unknown>) => {
  folder.write('rows.jsonl', lines(rows));
  return folder.load({ source: 'rows.jsonl', ...yaml });
};
const labelsOf = (dataset: Dataset) => dataset.examples.map((example) => example.label);

describe('lettered options', () => {
  it.each([
    [
      'a ) 38 , b ) 27.675 , c ) 30 , d ) data inadequate , e ) none of these',
      ['38', '27.675', '30', 'data inadequate', 'none of these'],
    ],
    ["['a ) 2 : 3', 'b ) 4 : 5', 'c ) 16 : 9']", ['2 : 3', '4 : 5', '16 : 9']],
    ['a ) 35 , 3 , b ) 3060 , c ) 1 , 512', ['35 , 3', '3060', '1 , 512']],
    ['a ) a ) 15 , b ) b ) 10 , c ) 5', ['15', '10', '5']],
    ["['a ) a ) 160 degree', 'b ) b ) 198 degree']", ['160 degree', '198 degree']],
    ['a ) 29 , b ) 30 , c ) b ) 36', ['29', '30', '36']],
    ['a ) 1 , b ) 3 , c ) c . 14', ['1', '3', '14']],
    ['a ) a : 45 , b ) b : 50 , c ) 2', ['45', '50', '2']],
    ['a ) 10 min . , b ) 9 a . m . , c ) a . m . 5', ['10 min .', '9 a . m .', 'a . m . 5']],
    ['a ) s . 432 , b ) rs . 486', ['s . 432', 'rs . 486']],
    ['a ) a : b , b ) b : a', ['a : b', 'b : a']],
    ["a ) ca n ' t be known , b ) 31", ["ca n ' t be known", '31']],
    ['A) one, B) two; C) three', ['one', 'two', 'three']],
    ['(a) one, (b) two', ['one', 'two']],
    ['["a ) it\'s", "b ) \\"no\\""]', ["it's", '"no"']],
    ['a ) , b ) 2', ['', '2']],
    // What speaks of other options, and factors, are text; the letters behind the outer ones move nothing.
    ['a ) 1 , b ) 2 , c ) ( a ) and ( b ) , d ) a ) or b )', ['1', '2', '( a ) and ( b )', 'a ) or b )']],
    ["['a ) 1', 'b ) ( a ) only', 'c ) (a) and (b)']", ['1', '( a ) only', '(a) and (b)']],
    ['a ) ( b ) ( c ) , b ) 3', ['( b ) ( c )', '3']],
    ['a ) c ) 1 , b ) a ) 2 , c ) b ) 3', ['1', '2', '3']],
    ['a ) and then none , b ) or 2', ['and then none', 'or 2']],
    // A comma that is missing, also the last one; letters in brackets of their own are no labels.
    ['a ) 1 b ) 2 , c ) 3 d ) 4 , e ) 5', ['1', '2', '3', '4', '5']],
    ['a ) f ( b ) , b ) 2 , c ) 3', ['f ( b )', '2', '3']],
    ['a ) 1 , b ) f ( c ) or g', ['1', 'f ( c ) or g']],
    ['a ) 1 , b ) 2 , c ) 3 , d ) 4 e ) 5', ['1', '2', '3', '4', '5']],
    ['a ) 1 , b ) 2 , c ) 3 d ) 4 e ) 5', ['1', '2', '3', '4', '5']],
    ['a ) 1 , b ) 2 c )', ['1', '2', '']],
    ['a ) 3 , b ) ( a + c ) / 2', ['3', '( a + c ) / 2']],
    ['a ) ( p , b ) , b ) 3', ['( p , b )', '3']],
    ['(a) one, (b) two (c) three', ['one', 'two', 'three']],
    ['(a) one, (b) f (c) or g', ['one', 'f (c) or g']],
    ['A. x, B. y, C. the E. coli D. z', ['x', 'y', 'the E. coli D. z']],
    ['a ) 1 , B ) 2 , c ) 3', ['1', '2', '3']],
    // An option that is not there is an empty one, so that the letters of the others keep their meaning.
    ['a ) 1 , b ) 2 , d ) 4 , e ) 5', ['1', '2', '', '4', '5']],
    ['1 , b ) 2 , c ) 3 , d ) 4', ['1', '2', '3', '4']],
    ["['a ) 1', 'b ) 2', 'c ) 3", ['1', '2', '3']],
    ["['a ) 1', 'c ) 3', 'b ) 2']", ['1', '2', '3']],
    ["['a ) 1', 'b ) 2', 'd ) 4']", ['1', '2', '', '4']],
  ])('%s', (text, options) => {
    expect(letteredOptions(text)).toEqual(options);
  });

  it.each(['', '38 , 27', 'a ) 38', "['a ) 1' 'b ) 2']", 'b ) 1 , a ) 2'])('refuses %j', (text) => {
    expect(letteredOptions(text)).toMatchObject({ fault: expect.stringContaining('labels a ), b ), ...') });
  });

  it('takes no longer per label however many there are', () => {
    const text = `a ) ${'( '.repeat(20_000)}${' , b ) x'.repeat(20_000)}`;
    const started = performance.now();
    expect(letteredOptions(text)).toHaveLength(2);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('name row and line when they cannot be read, and letters label them', async () => {
    const fields = { id: 'id', options: { field: 'o', extract: 'lettered' }, label: { field: 'k', as: 'letter' } };
    const rows = [
      { id: 'r1', o: 'a ) 1 , b ) 2', k: 'b' },
      { id: 'r2', o: '1 , 2', k: 'a' },
    ];
    expect(labelsOf(await load(rows.slice(0, 1), { fields }))).toEqual([1]);
    expect(await refusal(load(rows, { fields }))).toEqual([
      expect.stringMatching(/rows\.jsonl:2 o r2: expected options with the labels/),
    ]);
  });
});

describe('truth maps', () => {
  const map = { Paris: 1, Rome: 0, Oslo: 0, Bern: 0, Riga: 0 };

  it('give the same order whatever the order in the file, and another one by another seed', () => {
    const reversed = Object.fromEntries(Object.entries(map).reverse());
    expect(truthOptions(reversed, 1)).toEqual(truthOptions(map, 1));
    const orders = new Set([1, 2, 3, 4, 5].map((seed) => JSON.stringify(truthOptions(map, seed))));
    expect(orders.size).toBeGreaterThan(2);
  });

  it.each([
    [{ a: 1, b: 'maybe' }, /"b": expected 1 \(true\) or 0/],
    [{ choices: ['a', 'b'], labels: [1] }, /2 choices, but 1 labels/],
    [['a', 'b'], /expected an object/],
  ])('refuses %j', (value, message) => {
    expect(truthOptions(value, 1)).toMatchObject({ fault: expect.stringMatching(message) });
  });

  it('record rule and seed in the data set and in its hash', async () => {
    const fields = (seed: number) => ({ id: 'q', options: { truth: 't', seed } });
    const one = await load([{ q: 'x', t: map }], { fields: fields(1) });
    const two = await load([{ q: 'x', t: map }], { fields: fields(2) });
    expect(one.rules).toEqual([expect.stringMatching(/^order of options: .*xoroshiro.*seed 1$/)]);
    expect(one.hash).not.toBe(two.hash);
    expect(one.warnings).toEqual([]);
    expect((await load([{ q: 'x', t: { a: 0, b: 0 } }], { fields: fields(1) })).examples[0]!.label).toBe(null);
  });
});

describe('a right option and wrong ones', () => {
  const fields = (more: object = {}) => ({
    options: { right: 'best', wrong: ['bad', 'worse'], seed: 1, ...more },
  });
  const answersOf = ({ examples }: Dataset) => examples.map(({ options, label }) => options[label!]);

  it('come in an order that is drawn from texts and seed, with the label', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ q: `q${n}`, best: `y${n}`, bad: 'x', worse: 'z' }));
    const dataset = await load(rows, { fields: fields() });
    expect(answersOf(dataset).sort()).toEqual(rows.map(({ best }) => best).sort());
    expect(new Set(labelsOf(dataset))).toEqual(new Set([0, 1, 2]));
    const swapped = await load(rows, { fields: fields({ wrong: ['worse', 'bad'] }) });
    expect(swapped.examples.map(({ options }) => options)).toEqual(dataset.examples.map(({ options }) => options));
    expect(dataset.rules).toEqual([expect.stringMatching(/^order of options: .*; seed 1$/)]);
    expect((await load(rows, { fields: fields({ seed: 2 }) })).hash).not.toBe(dataset.hash);
  });

  it('may be lists, or one text with a separator, of another length in every row', async () => {
    const lists = await load(
      [
        { best: 'a', bad: ['b', 'c'], worse: [] },
        { best: 'd', bad: ['e'], worse: ['f', 'g'] },
      ],
      {
        fields: fields(),
      },
    );
    expect(lists.examples.map(({ options }) => [...options].sort())).toEqual(
      expect.arrayContaining([
        ['a', 'b', 'c'],
        ['d', 'e', 'f', 'g'],
      ]),
    );
    const cut = await load([{ best: 'a; b', bad: 'c; d ;', worse: 'e' }], { fields: fields({ separator: ';' }) });
    expect([...cut.examples[0]!.options].sort()).toEqual(['a; b', 'c', 'd', 'e']);
    const one = { fields: { options: { field: 'o', separator: '|' }, label: { field: 'k', as: 'letter' } } };
    expect((await load([{ o: 'x | y|z', k: 'c' }], one)).examples[0]).toMatchObject({
      options: ['x', 'y', 'z'],
      label: 2,
    });
  });

  it('bring their label, are named with row and field, and are no content twice', async () => {
    expect(await refusal(load([{ best: 'a', bad: 'b', worse: 'c' }], { fields: { ...fields(), label: 'k' } }))).toEqual(
      [expect.stringMatching(/fields\.label -: options with `right` bring their label/)],
    );
    expect(await refusal(load([{ best: 'a', bad: 'b', worse: {} }], { fields: fields() }))).toEqual([
      expect.stringMatching(/rows\.jsonl:1 worse 1: expected one option text/),
    ]);
    expect(await refusal(load([{ best: 'a', bad: '', worse: 'c' }], { fields: fields() }))).toEqual([
      expect.stringMatching(/option \d is empty/),
    ]);
  });
});

describe('labels among the own labels of a row', () => {
  it('reach into lists of objects, and refuse one that is not there', async () => {
    const question = (key: string) => ({
      id: key,
      question: {
        stem: 'Why?',
        choices: [
          { text: 'x', label: 'A' },
          { text: 'y', label: 'B' },
        ],
      },
      answerKey: key,
    });
    const fields = {
      id: 'id',
      options: 'question.choices.text',
      label: { field: 'answerKey', keys: 'question.choices.label' },
    };
    const dataset = await load([question('B')], { fields, prompt: { template: '{question.stem}\n{options}' } });
    expect(dataset.examples).toMatchObject([{ options: ['x', 'y'], label: 1 }]);
    expect(await refusal(load([question('C')], { fields }))).toEqual([
      expect.stringMatching(/rows\.jsonl:1 answerKey C: the label "C" is none of the row's own: A, B/),
    ]);
  });
});

describe('labelBase: detect', () => {
  const fields = { id: 'id', options: { columns: ['a', 'b', 'c'] }, label: { field: 'k', labelBase: 'detect' } };
  const rows = (labels: readonly (number | null)[]) =>
    labels.map((k, n) => ({ id: `r${n}`, a: 'x', b: 'y', c: 'z', k }));

  it('reads 0-based and 1-based files alike, and says which', async () => {
    const zero = await load(rows([0, 1, 2, -1, null]), { fields });
    expect(labelsOf(zero)).toEqual([0, 1, 2, null, null]);
    expect(zero.rules).toEqual([expect.stringMatching(/count from 0 \(1 of 3 labels are 0/)]);
    const one = await load(rows([1, 2, 3]), { fields });
    expect(labelsOf(one)).toEqual([0, 1, 2]);
    expect(one.rules).toEqual([expect.stringMatching(/count from 1 \(0 of 3 labels are 0, 1 equal/)]);
  });

  it.each([[[1, 2]], [[0, 3]]])('refuses to guess from %j', async (labels) => {
    expect(await refusal(load(rows(labels), { fields }))).toEqual([
      expect.stringMatching(/trial\.yaml:3 fields\.label -: the label base of "k" cannot be detected: .*labelBase: 1/),
    ]);
  });

  it('a declared base that does not fit says which would', async () => {
    const declared = (labelBase: number) => ({ ...fields, label: { field: 'k', labelBase } });
    expect(await refusal(load(rows([1, 3]), { fields: declared(0) }))).toEqual([
      expect.stringMatching(/label 3 is out of range; .*count from 1, write `labelBase: 1`/),
    ]);
    expect(await refusal(load(rows([0, 2]), { fields: declared(1) }))).toEqual([
      expect.stringMatching(/label 0 is out of range; .*count from 0, write `labelBase: 0`/),
    ]);
  });
});

describe('policies', () => {
  const fields = { id: 'id', options: { columns: ['a', 'b'] }, label: { field: 'k', labelBase: 0 } };
  const rows = [
    { id: 'good', a: 'x', b: 'y', k: 0 },
    { id: 'empty', a: 'x', b: ' ', k: 0 },
    { id: 'twins', a: '10 mg', b: '10\u00a0mg ', k: 0 },
    { id: 'bare', a: 'x', b: 'y', k: null },
  ];
  const idsOf = (dataset: Dataset) => dataset.examples.map((example) => example.id);

  it('skip leaves rows out with the reason', async () => {
    const skip = { emptyOptions: 'skip', duplicateOptions: 'skip', missingLabels: 'skip' };
    const dataset = await load(rows, { fields, ...skip });
    expect(idsOf(dataset)).toEqual(['good']);
    expect(dataset.leftOut).toEqual([
      { id: 'empty', reason: 'option 2 is empty' },
      { id: 'twins', reason: 'two options are equal' },
      { id: 'bare', reason: 'it has no label' },
    ]);
  });

  it('keep keeps them all, with warnings', async () => {
    const dataset = await load(rows, { fields, emptyOptions: 'keep' });
    expect(idsOf(dataset)).toEqual(['bare', 'empty', 'good', 'twins']);
    expect(dataset.warnings).toContainEqual(expect.stringMatching(/1 row with two equal options .*twins/));
  });

  it('refuse names each row, with its line', async () => {
    expect(await refusal(load(rows, { fields, duplicateOptions: 'refuse', missingLabels: 'refuse' }))).toEqual([
      expect.stringMatching(/rows\.jsonl:2 b empty: option 2 is empty; .*emptyOptions: skip/),
      expect.stringMatching(/rows\.jsonl:3 b twins: two options are equal; .*duplicateOptions: skip/),
      expect.stringMatching(/rows\.jsonl:4 k bare: this row has no label; .*missingLabels: skip/),
    ]);
  });

  it('a row that lacks the field of the label is a fault until `missingLabels` says what it is', async () => {
    const { k: _, ...lacking } = { ...rows[0]!, id: 'lacking' };
    const two = [rows[0]!, lacking];
    expect(await refusal(load(two, { fields }))).toEqual([
      expect.stringMatching(
        /rows\.jsonl:2 k .*"k" is missing; write null where there is no value, or `missingLabels: keep` into the YAML$/,
      ),
    ]);
    const kept = await load(two, { fields, missingLabels: 'keep' });
    expect(kept.examples.map(({ id, label }) => [id, label])).toEqual([
      ['good', 0],
      ['lacking', null],
    ]);
    expect(idsOf(await load(two, { fields, missingLabels: 'skip' }))).toEqual(['good']);
  });

  it('an empty option cannot be kept where its text is scored', async () => {
    const yaml = { fields, emptyOptions: 'keep', prompt: { template: '{id}' }, scoring: { mode: 'text' } };
    expect(await refusal(load(rows, yaml))).toEqual([expect.stringContaining('an empty option has no text to score')]);
  });
});

describe('decode', () => {
  const fields = { id: 'id', options: 'o' };
  const one = async (text: string, rules: unknown, yaml: Record<string, unknown> = {}) => {
    const dataset = await load([{ id: '1', text, o: ['&lt;', '&gt;'], deep: [{ t: ' a ' }] }], {
      fields,
      decode: { text: rules },
      ...yaml,
    });
    return dataset.examples[0]!.fields.text;
  };

  it.each([
    ['unicode-escapes', 'it\\u2019s\\u002c ok', 'it\u2019s, ok'],
    ['unicode-escapes', '\\ud83d\\ude00 \\ud83d \\u12 \\n \\""', '\u{1f600} \\ud83d \\u12 \\n \\""'],
    [
      'html',
      'R&amp;B &lt;3 &#039;x&#x27; &eacute; &amp;lt; AT&T &nosuch; &amp',
      "R&B <3 'x' é &lt; AT&T &nosuch; &amp",
    ],
    ['trim', ' \u00a0 x  y ', 'x  y'],
    [['unicode-escapes', 'html'], '\\u0026amp;', '&'],
  ])('%j: %s', async (rules, text, decoded) => {
    expect(await one(text, rules)).toBe(decoded);
  });

  it('reaches lists, leaves all other fields alone, and refuses a field that is nowhere', async () => {
    const text = ' \\u2019 &amp; \u00e9 ';
    const dataset = await load([{ id: '1', text, o: ['&lt;', '&gt;'] }], { fields, decode: { o: 'html' } });
    expect(dataset.examples[0]).toMatchObject({ options: ['<', '>'], fields: { text } });
    expect(await refusal(one('x', 'html', { decode: { txt: 'html' } }))).toEqual([
      expect.stringMatching(/trial\.yaml:3 decode\.txt -: no row has a field "txt"; did you mean "text"/),
    ]);
  });
});
