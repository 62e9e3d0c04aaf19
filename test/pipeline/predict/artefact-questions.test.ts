import { describe, expect, it } from 'vitest';
import type { RowObject } from '../../../src/formats/row/source-row.js';
import type { CalibrationArtefact } from '../../../src/pipeline/artefact/artefact-schema.js';
import { artefactQuestions, questionAsker } from '../../../src/pipeline/predict/artefact-questions.js';
import { exampleArtefact } from '../artefact/example-artefact.js';

const dataset = {
  fields: { id: 'id', options: 'options', label: { field: 'answer', as: 'letter' } },
  prompt: { template: 'Q: {question}\n{options}\nA:', optionLabels: ['x', 'y', 'z'] },
};
const fewShot = [{ fields: { question: 'One?' }, options: ['a', 'b'], label: 1 }];
const asked = (changes: Partial<Record<'dataset' | 'settings', object>> = {}): CalibrationArtefact => ({
  ...exampleArtefact(),
  asking: { dataset: { ...dataset, ...changes.dataset }, cells: {}, frame: null, optionTokens: null },
  prompt: {
    hash: 'h',
    settings: { prompt: 'chat', assistantPrefix: 'So', bos: 'never', fewShot, ...changes.settings },
  },
});
const ask = (artefact: CalibrationArtefact, ...rows: RowObject[]) =>
  questionAsker(artefactQuestions(artefact, 'a.json'))(
    rows.map((values, n) => ({ values, number: n + 1, line: undefined })),
  );

describe('artefactQuestions', () => {
  it('renders the prompts of new questions with the few-shot block of the fit', () => {
    const [question] = ask(asked(), { id: 7, question: 'Two?', options: ['c', 'd', 'e'] });
    expect(question).toMatchObject({
      kind: 'ok',
      example: { id: '7', options: ['c', 'd', 'e'], label: null },
      prompt: { mode: 'letter', continuations: ['x', 'y', 'z'] },
    });
    expect((question as { prompt: { text: string } }).prompt.text).toBe(
      'Q: One?\nx. a\ny. b\nA: y\n\nQ: Two?\nx. c\ny. d\nz. e\nA:',
    );
  });

  it('is about one question at a time: what is wrong with a row is said of it alone', () => {
    const found = ask(
      asked(),
      { question: 'Fine?', options: ['a', 'b'], answer: 'no label is read' },
      { id: 'no options', question: 'Which?' },
      { id: 'empty', question: 'Which?', options: ['a', ''] },
      { id: 'four', question: 'Which?', options: ['a', 'b', 'c', 'd'] },
      { id: 'no question', options: ['a', 'b'] },
    );
    expect(found.map((each) => (each.kind === 'ok' ? each.example.id : each.reason))).toEqual([
      '1',
      expect.stringMatching(/options: the field "options" is missing/),
      expect.stringMatching(/option 2 is empty/),
      expect.stringMatching(/has 4 options, more than there are option labels/),
      expect.stringMatching(/question: the field "question" is missing/),
    ]);
  });

  it('names a question by the id field of the data set, else by its field id, else by its number, and says which', () => {
    const fields = (id?: unknown) => asked({ dataset: { fields: { ...dataset.fields, id } } });
    const question = { question: 'Two?', options: ['c', 'd'] };
    const found = (artefact: CalibrationArtefact, ...ids: RowObject[]) =>
      ask(artefact, ...ids.map((id) => ({ ...question, ...id }))).map((each) =>
        each.kind === 'ok' ? [each.example.id, each.instead] : [each.reason],
      );
    expect(found(fields('nr'), { nr: 7, id: 'x' }, { id: 'x' }, { nr: null }, { id: '' })).toEqual([
      ['7', null],
      ['x', { wanted: 'nr', by: 'id' }],
      ['3', { wanted: 'nr', by: 'number' }],
      ['4', { wanted: 'nr', by: 'number' }],
    ]);
    expect(found(fields(['a', 'b']), { a: 1, b: 2 }, { a: 1, id: 9 })).toEqual([
      ['1/2', null],
      ['9', { wanted: 'a/b', by: 'id' }],
    ]);
    expect(found(fields(), { id: 'x' }, {})).toEqual([
      ['x', null],
      ['2', null],
    ]);
  });

  it('names all fields with options that a row lacks, and no other', () => {
    const columns = asked({ dataset: { fields: { options: { columns: ['opa', 'opb', 'opc'] } } } });
    const several = asked({ dataset: { fields: { options: { right: 'yes', wrong: ['no1', 'no2'], seed: 1 } } } });
    const reasons = [ask(columns, { question: 'Q', opb: 'b' }), ask(several, { question: 'Q', no1: 'b' })];
    const lacking = (reason: string) => [...reason.matchAll(/the field "(\w+)" is missing/g)].map(([, name]) => name);
    expect(reasons.map(([each]) => each?.kind === 'wrong' && lacking(each.reason))).toEqual([
      ['opa', 'opc'],
      ['yes', 'no2'],
    ]);
  });

  it('gives the model as an entry of models.yaml, with the file that was named', () => {
    expect(artefactQuestions(asked(), 'a.json').modelOf('m.gguf')).toMatchObject({
      id: 'chat',
      role: 'post-trained',
      base: 'base',
      file: 'm.gguf',
      prompt: 'chat',
      assistantPrefix: 'So',
      scoring: { bos: 'never' },
    });
  });

  it.each([
    ['no word of it', exampleArtefact(), /asking: its scores were imported .* give scores of questions with --logits/],
    [
      'fields of another version',
      asked({ dataset: { fields: { choices: 'c' } } }),
      /asking\.dataset\.fields.*another version/,
    ],
    [
      'a template without an end',
      asked({ dataset: { prompt: { template: 'Q: {question' } } }),
      /a\.json: prompt\.template/,
    ],
    ['shots that are none', asked({ settings: { fewShot: [{ fields: 1 }] } }), /prompt\.settings\.fewShot\.0/],
    ['a prompt of no kind', asked({ settings: { prompt: 'sung' } }), /prompt\.settings\.prompt/],
  ])('refuses %s', (_, artefact, message) => {
    const use = () => {
      const questions = artefactQuestions(artefact, 'a.json');
      questionAsker(questions);
      questions.modelOf('m.gguf');
    };
    expect(use).toThrow(message);
  });
});
