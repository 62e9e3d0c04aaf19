import { describe, expect, it } from 'vitest';
import { datasetSchema } from '../../../src/config/dataset-schema.js';
import type { Dataset } from '../../../src/datasets/example/example.js';
import { labelsNameOptions } from '../../../src/datasets/options/option-labels.js';
import { renderPrompts, renderRotations, rotationRefusal } from '../../../src/datasets/prompts/render-prompts.js';

const example = (id: string, options: string[]) => ({
  id,
  fields: { question: `Q${id}` },
  options,
  label: 0,
  contentHash: id,
});

const dataset = (options: string[], shots: string[][] = []): Dataset => ({
  id: 'd',
  title: 'd',
  examples: [example('1', options)],
  shots: shots.map((each, n) => example(`s${n}`, each)),
  leftOut: [],
  warnings: [],
  rules: [],
  origin: [],
  hash: '',
});

const spec = (yaml: Record<string, unknown>) => ({
  id: 'd',
  file: 'd.yaml',
  yaml: datasetSchema.parse({ source: 'd.jsonl', fields: { options: 'options' }, ...yaml }),
  locate: () => ({}),
});
const LETTERS = spec({ prompt: { template: '{question}\n{options}\nAnswer:' } });

describe('renderRotations', () => {
  it('ends with a fault at the row with which all orders together are more than memory holds', () => {
    const three = dataset(['x', 'y', 'z']);
    const whole = renderRotations(three, LETTERS).flatMap(({ rotations = [] }) => rotations.map(({ text }) => text));
    const characters = whole.join('').length;
    expect(renderRotations(three, LETTERS, null, characters)).toHaveLength(1);
    expect(() => renderRotations(three, LETTERS, null, characters - 1)).toThrow(
      /^d\.yaml: prompt: row 1: up to this row the prompts hold more than 0 MiB, .*few-shot block or fewer orders/,
    );
  });

  it('shows option (p + r) mod K at position p, and names each option by the letter of its place', () => {
    const [prompt] = renderRotations(dataset(['x', 'y', 'z']), LETTERS);
    expect(prompt!.rotations).toEqual([
      { text: 'Q1\nA. x\nB. y\nC. z\nAnswer:', continuations: ['A', 'B', 'C'] },
      { text: 'Q1\nA. y\nB. z\nC. x\nAnswer:', continuations: ['C', 'A', 'B'] },
      { text: 'Q1\nA. z\nB. x\nC. y\nAnswer:', continuations: ['B', 'C', 'A'] },
    ]);
  });

  it('has the plain prompt as its first rotation', () => {
    const [plain] = renderPrompts(dataset(['x', 'y']), LETTERS);
    const [rotated] = renderRotations(dataset(['x', 'y']), LETTERS);
    expect(rotated).toEqual({ ...plain, mode: 'rotations', rotations: rotated!.rotations });
    expect(rotated!.rotations![0]).toEqual({ text: plain!.text, continuations: plain!.continuations });
  });

  it('moves words that name their option with it', () => {
    const named = spec({
      prompt: { template: '{question}\n{options}\nMood:', option: '{label}', optionLabels: ['good', 'bad'] },
    });
    const [prompt] = renderRotations(dataset(['good', 'bad']), named);
    expect(prompt!.rotations).toEqual([
      { text: 'Q1\ngood\nbad\nMood:', continuations: ['good', 'bad'] },
      { text: 'Q1\nbad\ngood\nMood:', continuations: ['good', 'bad'] },
    ]);
  });

  it('leaves the few-shot block as it is', () => {
    const [prompt] = renderRotations(dataset(['x', 'y'], [['u', 'v']]), LETTERS);
    const block = 'Qs0\nA. u\nB. v\nAnswer: A\n\n';
    expect(prompt!.rotations!.map(({ text }) => text.startsWith(`${block}Q1\n`))).toEqual([true, true]);
  });
});

describe('rotationRefusal', () => {
  it('is null for a letter prompt that shows {options}', () => {
    expect(rotationRefusal(LETTERS)).toBeNull();
  });

  it('refuses text and hybrid mode, and a template that does not show {options}', () => {
    const text = spec({ prompt: { template: '{question}' }, scoring: { mode: 'text' } });
    const hybrid = spec({ prompt: { template: '{question} {options}' }, scoring: { mode: 'hybrid' } });
    expect(rotationRefusal(text)).toMatch(/`scoring.mode: text`.*letter mode/);
    expect(rotationRefusal(hybrid)).toMatch(/`scoring.mode: hybrid`.*letter mode/);
    expect(rotationRefusal(spec({ prompt: { template: '{question}' } }))).toMatch(/does not show \{options\}/);
  });
});

describe('labelsNameOptions', () => {
  it('tells words from letters, digits and numerals', () => {
    expect(['upper', 'lower', 'digits'].map((kind) => labelsNameOptions(kind as 'upper'))).toEqual([
      false,
      false,
      false,
    ]);
    expect(labelsNameOptions(['(A)', '(B)'])).toBe(false);
    expect(labelsNameOptions(['i', 'ii', 'iii', 'iv'])).toBe(false);
    expect(labelsNameOptions(['10', '20'])).toBe(false);
    expect(labelsNameOptions(['yes', 'no'])).toBe(true);
    expect(labelsNameOptions([' negative', ' positive'])).toBe(true);
  });
});
