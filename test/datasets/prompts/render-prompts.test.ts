import { describe, expect, it } from 'vitest';
import { renderPrompts } from '../../../src/datasets/prompts/render-prompts.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const ROW = {
  id: 'a',
  question: 'why {options}?',
  note: null,
  meta: { topic: '{question}' },
  options: ['x {label}', 'y'],
  answer: 'B',
};

async function promptsOf(
  prompt: Record<string, unknown>,
  extra: Record<string, unknown> = {},
  rows: unknown[] = [ROW],
) {
  folder.write('rows.jsonl', lines(rows));
  const yaml = {
    source: 'rows.jsonl',
    fields: { id: 'id', options: 'options', label: { field: 'answer', as: 'letter' } },
    prompt,
    ...extra,
  };
  const spec = folder.spec(yaml);
  return renderPrompts(await folder.load(yaml), spec);
}

const textOf = async (prompt: Record<string, unknown>) => (await promptsOf(prompt))[0]!.text;

describe('renderPrompts', () => {
  it('inserts fields and lettered options once, so that braces in data stay data', async () => {
    expect(await textOf({ template: 'Q: {question} ({meta.topic}){note}\n{options}\nAnswer:' })).toBe(
      'Q: why {options}? ({question})\nA. x {label}\nB. y\nAnswer:',
    );
  });

  it('writes braces for doubled braces', async () => {
    expect(await textOf({ template: '{{"q": "{ question }"}} {{options}}' })).toBe('{"q": "why {options}?"} {options}');
  });

  it('lays options out as the YAML says', async () => {
    expect(
      await textOf({ template: '{options}', option: '({label}) {text}', optionJoin: '; ', optionLabels: 'lower' }),
    ).toBe('(a) x {label}; (b) y');
  });

  it('hands over the labels and the text before the scored label', async () => {
    expect(await promptsOf({ template: 't', optionLabels: 'digits', answerPrefix: '' })).toEqual([
      { id: 'a', text: 't', mode: 'letter', continuations: ['1', '2'], answerPrefix: '' },
    ]);
    expect((await promptsOf({ template: 't', optionLabels: ['No', 'Yes', 'Maybe'] }))[0]).toMatchObject({
      continuations: ['No', 'Yes'],
      answerPrefix: null,
    });
  });

  it('lets a variant replace single keys of the plain prompt', async () => {
    const prompt = {
      template: 'plain {options}',
      optionLabels: 'lower',
      variants: { short: { template: '{options}' } },
    };
    expect((await promptsOf(prompt, { variant: 'short' }))[0]!.text).toBe('a. x {label}\nb. y');
    expect((await promptsOf(prompt))[0]!.text).toBe('plain a. x {label}\nb. y');
  });

  it('refuses an unknown variant with those there are', async () => {
    const prompt = { template: 't', variants: { short: { template: 's' } } };
    expect(await refusal(promptsOf(prompt, { variant: 'shrt' }))).toEqual([
      expect.stringMatching(/trial\.yaml:3 variant -: no prompt variant "shrt"; variants: short/),
    ]);
  });

  it('refuses stray braces and unknown fields of an option, all at once', async () => {
    const prompt = {
      template: 'a } b',
      variants: { v: { template: 'ok {', option: '{label}' }, w: { template: 'ok', option: '{letter}' } },
    };
    expect(await refusal(promptsOf(prompt))).toEqual([
      expect.stringMatching(/prompt\.template -: the brace at character 3/),
      expect.stringMatching(/prompt\.variants\.v\.template -: the brace at character 4/),
      expect.stringMatching(/unknown field \{letter\}; an option has \{label\} and \{text\}|the brace at character 3/),
    ]);
  });

  it('refuses more options than labels, and a label that stands twice', async () => {
    expect(
      await refusal(
        promptsOf({ template: 't', optionLabels: ['x', 'y'] }, {}, [{ ...ROW, options: ['1', '2', '3'], answer: 'x' }]),
      ),
    ).toEqual([expect.stringMatching(/prompt\.optionLabels -: row a has 3 options/)]);
    expect(await refusal(promptsOf({ template: 't', optionLabels: ['x', 'x'] }))).toEqual([
      expect.stringContaining('the label "x" stands twice'),
    ]);
  });

  it('asks for a prompt when there is none', async () => {
    folder.write('rows.jsonl', lines([ROW]));
    const yaml = { source: 'rows.jsonl', fields: { options: 'options' } };
    const dataset = await folder.load(yaml);
    await expect(async () => renderPrompts(dataset, folder.spec(yaml))).rejects.toThrow('prompt: {template: ...}');
  });
});

describe('scoring modes', () => {
  const scored = (template: string, scoring: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    promptsOf({ template, ...more }, { scoring });

  it('text mode scores the options themselves after a prompt that does not show them', async () => {
    expect(await scored('Q: {question}', { mode: 'text' })).toEqual([
      {
        id: 'a',
        text: 'Q: why {options}?',
        mode: 'text',
        continuations: ['x {label}', 'y'],
        textScore: { normalize: 'sum' },
        answerPrefix: null,
      },
    ]);
  });

  it('hybrid mode shows the options and scores their texts', async () => {
    expect((await scored('{options}\nAnswer:', { mode: 'hybrid', normalize: 'per-char' }))[0]).toMatchObject({
      text: 'A. x {label}\nB. y\nAnswer:',
      mode: 'text',
      continuations: ['x {label}', 'y'],
      textScore: { normalize: 'per-char' },
    });
  });

  it('pmi has a prompt of its own, "Answer:" by default', async () => {
    const textScore = async (scoring: Record<string, unknown>) => (await scored('t', scoring))[0]!.textScore;
    expect(await textScore({ mode: 'text', normalize: 'pmi' })).toEqual({ normalize: 'pmi', pmiPrompt: 'Answer:' });
    expect(await textScore({ mode: 'text', normalize: 'pmi', pmiPrompt: 'A:' })).toEqual({
      normalize: 'pmi',
      pmiPrompt: 'A:',
    });
  });

  it('solved examples are answered with the text of their option, since that is what is scored', async () => {
    const rows = ['a', 'b', 'c'].map((id) => ({ ...ROW, id, question: `is ${id} one?` }));
    const prompts = await promptsOf(
      { template: 'Q: {question}\nA:', fewShot: { count: 1, seed: 1 } },
      { scoring: { mode: 'text' } },
      rows,
    );
    expect(prompts).toHaveLength(2);
    for (const { text } of prompts) expect(text).toMatch(/^Q: is \w one\?\nA: y\n\nQ: is \w one\?\nA:$/);
  });

  it('refuses {options} in text mode, their absence in hybrid mode, and that of any variant, with the place', async () => {
    expect(await refusal(scored('{options}', { mode: 'text' }))).toEqual([
      expect.stringMatching(/prompt\.template .*shows \{options\}.* use `mode: hybrid`/),
    ]);
    expect(await refusal(scored('t', { mode: 'hybrid' }))).toEqual([
      expect.stringMatching(/prompt\.template .*lacks \{options\}/),
    ]);
    expect(await refusal(scored('t', { mode: 'text' }, { variants: { shown: { template: '{options}' } } }))).toEqual([
      expect.stringMatching(/prompt\.variants\.shown\.template .*shows \{options\}/),
    ]);
  });
});
