import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { datasetSchema } from '../../../src/config/dataset-schema.js';
import type { Dataset } from '../../../src/datasets/example/example.js';
import {
  elicitationRefusal,
  REPLY_FORM,
  renderElicitation,
  renderTruth,
} from '../../../src/datasets/prompts/render-elicitation.js';

const example = (id: string, options: string[]) => ({
  id,
  fields: { question: `Q${id}` },
  options,
  label: 0,
  contentHash: id,
});
const dataset = (shots: string[][] = []): Dataset => ({
  id: 'd',
  title: 'd',
  leftOut: [],
  warnings: [],
  rules: [],
  origin: [],
  hash: '',
  examples: [example('1', ['x', 'y']), example('2', ['u', 'v', 'w'])],
  shots: shots.map((each, n) => example(`s${n}`, each)),
});
const spec = (prompt: Record<string, unknown>) => ({
  id: 'd',
  file: 'd.yaml',
  locate: () => ({}),
  yaml: datasetSchema.parse({ source: 'd.jsonl', fields: { options: 'options' }, prompt }),
});
const LETTERS = spec({ template: 'Question: {question}\n{options}\nAnswer:' });
const SETTINGS = {
  instruction: null,
  samples: 1,
  temperature: 0,
  seed: 0,
  maxTokens: 64,
  structured: 'grammar' as const,
};
const GREEDY = (given: ReturnType<typeof spec>, form: 'raw' | 'chat', settings = {}, of = dataset()) =>
  renderElicitation({ dataset: of, spec: given, variant: null, frame: form }, { ...SETTINGS, ...settings });

describe('renderElicitation', () => {
  it('asks in the words that the demo models were trained on, raw and chat', () => {
    const ask = 'Question: Q1\nA. x\nB. y\n\nReply with JSON: {"answer": letter, "confidence": 0 to 100}.';
    expect(GREEDY(LETTERS, 'raw')[0]!.text).toBe(`${ask}\nReply:`);
    expect(GREEDY(LETTERS, 'chat')[0]!.text).toBe(ask);
    const prompts = readFileSync(new URL('../../../models/demo/training/prompts.py', import.meta.url), 'utf8');
    expect(prompts).toContain(`ASK_JSON = '${ask.split('\n\n')[1]}'`);
  });

  it('gives every sample a prompt of its own with a seed of the example, the sample and the seed of the suite alone', () => {
    const prompts = GREEDY(LETTERS, 'raw', { samples: 3, seed: 7, temperature: 0.7 });
    expect(prompts.map(({ id }) => id)).toEqual(['1#1', '1#2', '1#3', '2#1', '2#2', '2#3']);
    const seeds = prompts.map(({ reply }) => reply!.seed);
    expect(new Set(seeds).size).toBe(6);
    for (const seed of seeds) expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
    const only = { ...dataset(), examples: dataset().examples.slice(1) };
    expect(GREEDY(LETTERS, 'chat', { samples: 2, seed: 7 }, only).map(({ reply }) => reply!.seed)).toEqual(
      seeds.slice(3, 5),
    );
    expect(GREEDY(LETTERS, 'raw', { seed: 8 })[0]!.reply!.seed).not.toBe(seeds[0]);
  });

  it('takes an instruction of the user as it is, with the labels of the row; a form only where the reply is held to one', () => {
    const [, second] = GREEDY(LETTERS, 'raw', { instruction: 'One of {labels}? {x}', structured: 'text' });
    expect(second!.text).toBe('Question: Q2\nA. u\nB. v\nC. w\n\nOne of A, B, C? {x}');
    expect(second!.reply!.form).toBeNull();
    expect(GREEDY(LETTERS, 'raw')[0]!.reply!.form).toBe(REPLY_FORM);
    expect(second!.continuations).toEqual(['A', 'B', 'C']);
  });

  it('names labels that are words; few-shot examples keep their answers', () => {
    const words = spec({ template: 'Post: {question}\nMood:', optionLabels: ['bad', 'good', 'fine'] });
    const [first] = GREEDY(words, 'chat', {}, dataset([['p', 'q']]));
    expect(first!.text).toBe(
      'Post: Qs0\nMood: bad\n\nPost: Q1\n\nReply with JSON: {"answer": one of bad, good, "confidence": 0 to 100}.',
    );
  });

  it('refuses letters that nobody sees', () => {
    expect(elicitationRefusal(spec({ template: '{question}\nAnswer:' }), null)).toMatch(/does not show \{options\}/);
    expect(elicitationRefusal(LETTERS, null)).toBeNull();
  });
});

describe('renderTruth', () => {
  it('proposes every option in turn, in the words that the demo models were trained on', () => {
    const [first, second] = renderTruth(
      { dataset: dataset(), spec: LETTERS, variant: null, frame: 'raw' },
      { instruction: null, labels: ['yes', 'no'] },
    );
    expect(first!.rotations).toEqual(
      ['A', 'B'].map((label) => ({
        text: `Question: Q1\nA. x\nB. y\n\nIs the answer ${label} right? Reply yes or no.\nReply:`,
        continuations: ['yes', 'no'],
      })),
    );
    expect(second!.rotations).toHaveLength(3);
  });

  it('fills label and text into an instruction of the user, whatever the text holds', () => {
    const of = { ...dataset(), examples: [example('1', ['{label} $&', 'y'])] };
    const [first] = renderTruth(
      { dataset: of, spec: LETTERS, variant: null, frame: 'chat' },
      {
        instruction: '{label}: {text}?',
        labels: ['True', 'False'],
      },
    );
    expect(first!.rotations![0]!.text).toMatch(/\n\nA: \{label\} \$&\?$/);
  });
});
