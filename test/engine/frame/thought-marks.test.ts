import { describe, expect, it } from 'vitest';
import { renderTemplate } from '../../../src/engine/frame/chat-template.js';
import { openThought } from '../../../src/engine/frame/thought-marks.js';

const MARKS: readonly (readonly [string, string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['<reason>', '</reason>'],
  ['<reflection>', '</reflection>'],
  ['<seed:think>', '</seed:think>'],
  ['<THINK>', '</THINK>'],
  ['[THINK]', '[/THINK]'],
  ['<|thinking|>', '<|/thinking|>'],
  ['◁think▷', '◁/think▷'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<|channel|>analysis', '<|end|>'],
  ['<|channel|>analysis', '<|channel|>final'],
  ['<|channel>thought', '<channel|>'],
  ['<unused94>', '<unused95>'],
  ['<longcat_think>', '</longcat_think>'],
  ['<inner_monologue>', '</inner_monologue>'],
  ['<reasoning_content>', '</reasoning_content>'],
  ['<|reasoning_start|>', '<|reasoning_end|>'],
  ['Here is my thought process:', 'Here is my response:'],
];

describe('openThought', () => {
  it.each(MARKS)('%s is open until %s', (open, close) => {
    expect(openThought(`<a>${open}\n`)?.open).toBe(open);
    expect(openThought(`<a>${open}\n\n${close}\n`)).toBeNull();
    expect(openThought(`<a>${open}x${close}${open}`)?.open).toBe(open);
    expect(openThought(close)).toBeNull();
  });

  it('takes headers of replies that open none', () => {
    for (const text of [
      '<|im_start|>assistant\n',
      '[/INST]',
      '<|channel|>final<|message|>',
      '<no_think>',
      '<a>I think: <b>',
    ])
      expect(openThought(text)).toBeNull();
  });

  it('is refused in every template, with the text that closes it', () => {
    for (const [open, close] of MARKS) {
      const template = `{{ messages[0].content }}<a>${open}`;
      expect(() => renderTemplate(template, '', ''), open).toThrow(/opens a thought .* `assistantPrefix: "/);
      expect(renderTemplate(template, '', '', `${close}\n\n`).after).toBe(`<a>${open}`);
    }
  });
});
