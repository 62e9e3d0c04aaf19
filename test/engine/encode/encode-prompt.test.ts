import { describe, expect, it } from 'vitest';
import { encodePrompt } from '../../../src/engine/encode/encode-prompt.js';
import type { OptionTokens } from '../../../src/engine/encode/option-tokens.js';
import { renderTemplate } from '../../../src/engine/frame/chat-template.js';
import { chatFrame, RAW_FRAME } from '../../../src/engine/frame/prompt-frame.js';
import { toyTokenizer } from './toy-tokenizer.js';

const WORDS = ['user\nHi', 'user\n', 'Hi', 'assistant\n', ' A', ' B', 'A', 'B', '<|im_end|>', '\n'];
const tokenize = toyTokenizer(WORDS);
const id = (word: string) => WORDS.indexOf(word);
const START = { id: 501, text: '<|im_start|>', stripsLeft: false, stripsRight: false };
const END = { id: 502, text: '<|im_end|>', stripsLeft: false, stripsRight: false };
const CHATML =
  "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
const chat = (tokens = [START, END]) => chatFrame(renderTemplate(CHATML, '', ''), tokens);
const prompt = (text: string, answerPrefix: string | null = null) => ({
  id: 'q',
  text,
  mode: 'letter' as const,
  continuations: ['A', 'B'],
  answerPrefix,
});

function tokensOf(result: OptionTokens): readonly number[] {
  return result.kind === 'ok' ? result.tokens : [];
}

describe('encodePrompt', () => {
  it('puts the start token first, once, and one space before the label of a raw prompt', () => {
    expect(encodePrompt(prompt('Hi'), RAW_FRAME, 7, tokenize)).toEqual({
      kind: 'ok',
      tokens: [7, id('Hi')],
      optionIds: [id(' A'), id(' B')],
    });
  });

  it('puts nothing between white space and the label', () => {
    expect(encodePrompt(prompt('Hi\n'), RAW_FRAME, null, tokenize)).toMatchObject({
      tokens: [id('Hi'), id('\n')],
      optionIds: [id('A'), id('B')],
    });
  });

  it('lets an answer prefix of the data set decide', () => {
    expect(encodePrompt(prompt('Hi', ''), RAW_FRAME, null, tokenize)).toMatchObject({ optionIds: [id('A'), id('B')] });
  });

  it('joins template text and question before tokenising, and adds nothing after the header of the reply', () => {
    expect(encodePrompt(prompt('Hi'), chat(), null, tokenize)).toEqual({
      kind: 'ok',
      tokens: [START.id, id('user\nHi'), END.id, id('\n'), START.id, id('assistant\n')],
      optionIds: [id('A'), id('B')],
    });
  });

  it('keeps a control token typed by the data as plain text', () => {
    const result = encodePrompt(prompt('Hi<|im_end|>Hi'), chat(), null, tokenize);
    expect(result).toMatchObject({ kind: 'ok' });
    const tokens = tokensOf(result);
    expect(tokens.filter((token) => token === END.id)).toHaveLength(1);
    expect(tokens).toContain(id('<|im_end|>'));
  });

  it('does not repeat a start token that the template wrote', () => {
    const frame = chatFrame(renderTemplate(`{{ bos_token }}${CHATML}`, '<|im_start|>', ''), [START, END]);
    const result = encodePrompt(prompt('Hi'), frame, START.id, tokenize);
    // One from bos_token, two from the turns.
    expect(tokensOf(result).filter((token) => token === START.id)).toHaveLength(3);
  });

  it('gives white space beside a token to the token where the vocabulary says so', () => {
    const strict = { ...START, stripsRight: true };
    const frame = chatFrame({ before: '<|im_start|>\n', after: '', trims: false }, [strict]);
    expect(encodePrompt(prompt('Hi', ' '), frame, null, tokenize)).toMatchObject({ tokens: [START.id, id('Hi')] });
  });

  it('trims the question where the template does', () => {
    const rendered = renderTemplate("{{ messages[0]['content'] | trim }}", '', '');
    expect(rendered.trims).toBe(true);
    const frame = chatFrame(rendered, []);
    expect(encodePrompt(prompt('  Hi  ', ' '), frame, null, tokenize)).toMatchObject({ tokens: [id('Hi')] });
  });

  it('begins the reply with the assistant prefix, joined to the header, and then follows the rule of raw prompts', () => {
    const frame = (prefix: string) => chatFrame(renderTemplate(CHATML, '', ''), [START, END], prefix);
    const header = tokenize('assistant\nHi');
    expect(encodePrompt(prompt('Hi'), frame('Hi'), null, tokenize)).toMatchObject({
      tokens: [START.id, id('user\nHi'), END.id, id('\n'), START.id, ...header],
      optionIds: [id(' A'), id(' B')],
    });
    expect(encodePrompt(prompt('Hi'), frame('Hi\n'), null, tokenize)).toMatchObject({
      optionIds: [id('A'), id('B')],
    });
    expect(encodePrompt(prompt('Hi', ''), frame('Hi'), null, tokenize)).toMatchObject({
      optionIds: [id('A'), id('B')],
    });
  });

  it('keeps a control token in the assistant prefix as plain text', () => {
    const frame = chatFrame(renderTemplate(CHATML, '', ''), [START, END], '<|im_end|>');
    const tokens = tokensOf(encodePrompt(prompt('Hi'), frame, null, tokenize));
    expect(tokens.filter((token) => token === END.id)).toHaveLength(1);
    expect(tokens.at(-1)).toBe(id('<|im_end|>'));
  });
});
