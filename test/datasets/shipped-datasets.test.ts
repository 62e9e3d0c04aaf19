import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDatasetSpecs } from '../../src/config/load-dataset-specs.js';
import type { Dataset } from '../../src/datasets/example/example.js';
import { loadDataset } from '../../src/datasets/load-dataset.js';
import { letteredOptions } from '../../src/datasets/options/lettered-options.js';
import { renderPrompts } from '../../src/datasets/prompts/render-prompts.js';
import { overrideSource, type SourceOverride } from '../../src/datasets/source/override-source.js';
import { lines, temporaryFolder } from './temporary-spec.js';

const folder = temporaryFolder();
const shipped = path.resolve(import.meta.dirname, '..', '..', 'datasets');
/** Public files that the project does not ship; without them those tests are skipped. */
const data = path.resolve(process.env.SHARED ?? path.join('..', 'shared'), 'data');

async function load(id: string, source: SourceOverride) {
  const [spec] = await loadDatasetSpecs(shipped, [id]);
  const local = overrideSource(spec!, source);
  const dataset = await loadDataset(local);
  return { dataset, prompts: renderPrompts(dataset, local) };
}

function counts(values: readonly (number | null)[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const value of [...values].sort((a, b) => (a ?? -1) - (b ?? -1)))
    found[`${value}`] = (found[`${value}`] ?? 0) + 1;
  return found;
}

const labelCounts = ({ examples }: Dataset) => counts(examples.map((example) => example.label));
const optionCounts = ({ examples }: Dataset) => counts(examples.map((example) => example.options.length));

describe.skipIf(!existsSync(data))('the shipped YAML on real files (skipped without the folder shared/data)', () => {
  it('MedMCQA: 4,183 rows, found to count from 1', async () => {
    const { dataset } = await load('medmcqa', path.join(data, 'medmcqa/dev.json'));
    expect(dataset.examples).toHaveLength(4183);
    expect(labelCounts(dataset)).toEqual({ 0: 1348, 1: 1085, 2: 925, 3: 825 });
    expect(dataset.rules).toEqual([
      'labels of "cop" count from 1 (0 of 4183 labels are 0, 825 equal the number of options)',
    ]);
    // Line 3874 of the file, where the answer is known: cop 3.
    const largest = dataset.examples.find(({ fields }) => /largest commissure/i.test(fields.question!))!;
    expect(largest.options[largest.label!]).toMatch(/corpus callosum/i);
  });

  it('MathQA: 4,475 rows of five options without a stray label', async () => {
    const { dataset } = await load('mathqa', path.join(data, 'mathqa/dev.json'));
    expect(dataset.examples).toHaveLength(4475);
    expect(optionCounts(dataset)).toEqual({ 5: 4475 });
    expect(labelCounts(dataset)).toEqual({ 0: 940, 1: 984, 2: 970, 3: 880, 4: 701 });
    const options = dataset.examples.flatMap((example) => example.options);
    expect(options.filter((text) => text.trim() === '')).toEqual([]);
    expect(options.filter((text) => /^[a-e]\s*[).:]|^\[?'|'\]?$|,\s*[a-e]\s*\)/.test(text))).toEqual([]);
    expect(dataset.warnings).toContainEqual(expect.stringMatching(/^59 rows with two equal options/));
    const optionsOf = (start: string) =>
      dataset.examples.find((example) => example.options[0]!.startsWith(start))!.options;
    expect(optionsOf('35 , 3')).toEqual(['35 , 3', '25 , 5', '35 , 4', '5 , 30', '30 , 5']);
    // Any one comma less before a label, and the row is the same.
    for (const { options: text } of JSON.parse(readFileSync(path.join(data, 'mathqa/dev.json'), 'utf8'))) {
      if (text.startsWith('[')) continue;
      const whole = letteredOptions(text);
      for (const letter of 'bcde')
        expect(letteredOptions(text.replace(` , ${letter} ) `, ` ${letter} ) `))).toEqual(whole);
    }
    expect(optionsOf('s . 9060')).toEqual(['s . 9060', 's . 4520', 's . 4527', 's . 4530', 's . 4521']);
  });

  it('TweetEval: 2,000 tweets with escapes and entities decoded', async () => {
    const at = path.join(data, 'tweeteval-sentiment');
    const { dataset, prompts } = await load('tweeteval-sentiment', {
      text: path.join(at, 'val_text.txt'),
      label: path.join(at, 'val_labels.txt'),
    });
    expect(labelCounts(dataset)).toEqual({ 0: 312, 1: 869, 2: 819 });
    const texts = dataset.examples.map((example) => example.fields.text!);
    expect(texts.filter((text) => /\\u[0-9a-f]{4}|&(amp|gt|lt|quot|#\d+);/.test(text))).toEqual([]);
    expect(texts.filter((text) => text !== text.trim())).toEqual([]);
    expect(texts.filter((text) => text.includes('\u2019')).length).toBeGreaterThan(100);
    // Other backslashes are the tweet's own: 15 rows have nothing but these.
    expect(texts.filter((text) => text.includes('\\')).length).toBeGreaterThanOrEqual(15);
    expect(prompts[0]!.text).toMatch(/^Tweet: .*\nWhat .*\nA\. negative\nB\. neutral\nC\. positive\nAnswer:$/s);
  });

  it('TruthfulQA: 790 questions of 2 to 13 options, the true one anywhere among them', async () => {
    const { dataset } = await load('truthfulqa-mc1', path.join(data, 'truthfulqa/mc_task.json'));
    expect(dataset.examples).toHaveLength(790);
    const expected = { 2: 40, 3: 86, 4: 202, 5: 181, 6: 122, 7: 84, 8: 34, 9: 17, 10: 10, 11: 10, 12: 1, 13: 3 };
    expect(optionCounts(dataset)).toEqual(expected);
    expect(dataset.examples.filter(({ options }) => options.includes(''))).toHaveLength(17);
    // In the file the true option is always the first; shuffled, about 1 / K of them are.
    const share = dataset.examples.reduce((sum, { options }) => sum + 1 / options.length, 0);
    const first = dataset.examples.filter(({ label }) => label === 0).length;
    expect(Math.abs(first - share)).toBeLessThan(4 * Math.sqrt(share));
    expect(dataset.examples.every(({ label }) => label !== null)).toBe(true);
    expect(dataset.examples.every(({ fields }) => Object.keys(fields).every((name) => !name.startsWith('mc1')))).toBe(
      true,
    );
  });
});

describe('the shipped YAML on rows as the hub has them', () => {
  const loadRows = (id: string, rows: readonly unknown[]) => load(id, folder.write('hub.jsonl', lines(rows)));

  it('MedMCQA: counted from 0, hidden answers kept for the fit', async () => {
    const row = (id: string, cop: number) => ({ id, question: `${id}?`, opa: 'w', opb: 'x', opc: 'y', opd: 'z', cop });
    const { dataset } = await loadRows('medmcqa', [row('a', 0), row('b', 3), row('c', -1)]);
    expect(dataset.examples.map((example) => example.label)).toEqual([0, 3, null]);
    const { cop: _, ...hidden } = row('d', 0);
    expect((await loadRows('medmcqa', [hidden])).dataset.examples[0]!.label).toBe(null);
  });

  it('TruthfulQA: two lists give the same options and label as the map', async () => {
    const choices = ['Paris', 'Rome', 'Oslo', 'Bern'];
    const map = Object.fromEntries(choices.map((text, n) => [text, n === 0 ? 1 : 0]));
    const lists = { choices, labels: [1, 0, 0, 0] };
    const [fromLists, fromMap] = [
      await loadRows('truthfulqa-mc1', [{ question: 'Capital?', mc1_targets: lists }]),
      await loadRows('truthfulqa-mc1', [{ question: 'Capital?', mc1_targets: map }]),
    ];
    expect(fromLists.dataset).toEqual(fromMap.dataset);
    const [example] = fromMap.dataset.examples;
    expect(example!.options[example!.label!]).toBe('Paris');
  });

  it('MMLU, ARC and CommonsenseQA: nested options, answer keys of any form', async () => {
    const mmlu = await loadRows('mmlu', [{ question: '1 + 1?', subject: 'algebra', choices: ['1', '2'], answer: 1 }]);
    expect(mmlu.dataset.examples[0]!.label).toBe(1);
    const arc = (id: string, label: string[], answerKey: string) => ({
      id,
      question: `${id}?`,
      choices: { text: label.map((key) => `option ${key}`), label },
      answerKey,
    });
    const rows = [
      arc('a', ['A', 'B', 'C', 'D'], 'C'),
      arc('b', ['1', '2', '3', '4'], '4'),
      arc('c', ['A', 'B', 'C'], 'A'),
    ];
    const { dataset, prompts } = await loadRows('arc-challenge', rows);
    expect(dataset.examples.map((example) => example.label)).toEqual([2, 3, 0]);
    expect(prompts[1]!.text).toContain('A. option 1\nB. option 2');
    const test = await loadRows('commonsenseqa', [arc('t', ['A', 'B', 'C', 'D', 'E'], '')]);
    expect(test.dataset.examples[0]!.label).toBe(null);
  });

  it('the releases: MMLU without a header, ARC and CommonsenseQA with stems, TruthfulQA as CSV or lists', async () => {
    const answers = async (id: string, name: string, text: string) => {
      const { dataset, prompts } = await load(id, folder.write(name, text));
      return dataset.examples.map(({ options, label }, n) => [
        prompts[n]!.text.split('\n')[0],
        options.length,
        label === null ? null : options[label],
      ]);
    };
    const mmlu = '"Which, then?",0,1,"2, or 3",None,C\n';
    expect(await answers('mmlu', 'anatomy_test.csv', mmlu)).toEqual([['Question: Which, then?', 4, '2, or 3']]);
    const release = (id: string, labels: string, answerKey?: string) => ({
      id,
      question: { stem: `${id}?`, choices: [...labels].map((label) => ({ text: `option ${label}`, label })) },
      ...(answerKey && { answerKey }),
    });
    const arc = lines([release('a', 'ABCD', 'C'), release('b', '1234', '4')]);
    expect(await answers('arc-challenge', 'ARC-Challenge-Test.jsonl', arc)).toEqual([
      ['Question: a?', 4, 'option C'],
      ['Question: b?', 4, 'option 4'],
    ]);
    const hidden = lines([release('c', 'ABCDE')]);
    expect(await answers('commonsenseqa', 'test_rand_split_no_answers.jsonl', hidden)).toEqual([
      ['Question: c?', 5, null],
    ]);
    const csv = 'Type,Question,Best Answer,Correct Answers,Incorrect Answers\nX,Wet?,Yes,"Yes; Very","No; Never; "\n';
    expect(await answers('truthfulqa-mc1', 'TruthfulQA.csv', csv)).toEqual([['Question: Wet?', 3, 'Yes']]);
    const generation = lines([{ question: 'Wet?', best_answer: 'Yes', incorrect_answers: ['No', 'Never'] }]);
    expect(await answers('truthfulqa-mc1', 'generation.jsonl', generation)).toEqual([['Question: Wet?', 3, 'Yes']]);
    await expect(load('mmlu', folder.write('other.jsonl', lines([{ q: 1 }])))).rejects.toThrow(
      /no row has a field "choices".*nor does the file have the fields of one of the `forms`/,
    );
  });

  it('Parquet with the schemas of the hub: structs of lists, 64-bit labels', async () => {
    const fromParquet = async (id: string) => {
      const { dataset } = await load(id, path.join(import.meta.dirname, 'fixtures', `hub-${id}.parquet`));
      return dataset.examples.map(({ options, label }) => [options.length, options[label!]]);
    };
    expect(await fromParquet('arc-challenge')).toEqual([
      [3, 'cork'],
      [4, 'fire'],
    ]);
    expect(await fromParquet('truthfulqa-mc1')).toEqual([[3, 'No']]);
    expect(await fromParquet('mmlu')).toEqual([[4, '4']]);
    expect(await fromParquet('medmcqa')).toEqual([
      [4, 'w'],
      [4, 'z'],
    ]);
  });
});
