import { describe, expect, it } from 'vitest';
import { renderTemplate } from '../../../src/engine/frame/chat-template.js';
import { runTemplate } from '../../../src/engine/frame/run-template.js';
import {
  DEEPSEEK_R1_LIKE,
  GEMMA_LIKE,
  LLAMA3_LIKE,
  MISTRAL_LIKE,
  PHI3_LIKE,
  QWEN3_LIKE,
} from './model-family-templates.js';

describe('renderTemplate', () => {
  it('cuts the question out of one user turn with the header of the reply', () => {
    const template = '<u>{{ messages[0].content }}</u>{% if add_generation_prompt %}<a>{% endif %}';
    expect(renderTemplate(template, '', '')).toEqual({ before: '<u>', after: '</u><a>', trims: false });
  });

  it('renders a reasoning template in its non-thinking form', () => {
    const template =
      '{{ messages[0].content }}<a>{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}';
    expect(renderTemplate(template, '', '').after).toBe('<a><think>\n\n</think>\n\n');
  });

  it('refuses a template that opens a thought all the same', () => {
    expect(() => renderTemplate('{{ messages[0].content }}<a><think>\n', '', '')).toThrow(/opens a thought/);
  });

  it('refuses a template that raises, with its message', () => {
    expect(() => renderTemplate("{{ raise_exception('user turns are refused') }}", '', '')).toThrow(
      /user turns are refused/,
    );
  });

  it('refuses a template that drops or repeats the question', () => {
    expect(() => renderTemplate('<a>', '', '')).toThrow(/writes the question 0 times/);
    expect(() => renderTemplate('{{ messages[0].content }}{{ messages[0].content }}', '', '')).toThrow(/2 times/);
  });

  it('prints a fixed date, so that logits do not change from day to day', () => {
    expect(renderTemplate("{{ strftime_now('%d %b %Y') }}{{ messages[0].content }}", '', '').before).toBe(
      '26 Jul 2024',
    );
  });

  it('loops, ranges and boolean words work as in the built-in renderer', () => {
    const template =
      '{% for i in range(1, 4) %}{{ i }}{% endfor %}{% if True and not none %}{{ messages[0].content }}{% endif %}';
    expect(renderTemplate(template, '', '').before).toBe('123');
  });
});

describe('a template without an end', () => {
  const ask = (template: string) => () => renderTemplate(`${template}{{ messages[0].content }}`, '', '');

  it.each([
    [
      'a long loop',
      '{% for a in range(1000) %}{% for b in range(1000) %}{{ a }}{% endfor %}{% endfor %}',
      /200000 steps/,
    ],
    ['a longer range', '{% for a in range(1000000000) %}{% endfor %}', /a list of 1000000000 entries/],
    [
      'a text that doubles',
      '{% set ns = namespace(s="xxxxxxxxxx") %}{% for a in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}',
      /more than 50000000 characters/,
    ],
    [
      'a list that doubles',
      '{% set ns = namespace(s=[1]) %}{% for a in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}',
      /a list of/,
    ],
    ['a macro that calls itself', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', /single user turn/],
    ['a million characters', `{# ${'x'.repeat(1_000_000)} #}`, /characters long/],
  ])(
    'is refused and named within seconds: %s',
    (_, template, message) => {
      const begun = performance.now();
      expect(ask(template)).toThrow(message);
      expect(ask(template)).toThrow(/^the chat template of the file \(tokenizer\.chat_template\) /);
      expect(performance.now() - begun).toBeLessThan(60_000);
    },
    120_000,
  );

  it('has a limit of time too, for steps that take long', () => {
    const slow = () =>
      runTemplate(
        '{% for a in range(1000) %}{{ wait() }}{% endfor %}',
        { wait: () => Atomics.wait(CELL, 0, 0, 5) },
        {
          steps: 1e6,
          milliseconds: 50,
          characters: 1e6,
        },
      );
    expect(slow).toThrow(/more than 0\.05 s/);
  });
});

const CELL = new Int32Array(new SharedArrayBuffer(4));

describe('the template of a model family', () => {
  it('Qwen3: an empty thought stands before the reply', () => {
    expect(renderTemplate(QWEN3_LIKE, '', '<|im_end|>')).toEqual({
      before: '<|im_start|>user\n',
      after: '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
      trims: false,
    });
  });

  it('DeepSeek-R1: is refused as it opens a thought, with what closes it', () => {
    expect(() => renderTemplate(DEEPSEEK_R1_LIKE, '<s>', '</s>')).toThrow(
      /opens a thought .* `assistantPrefix: "<\/think>\\n\\n"`/,
    );
  });

  it('DeepSeek-R1: is taken with an assistant prefix that closes the thought, and with no other', () => {
    expect(renderTemplate(DEEPSEEK_R1_LIKE, '<s>', '</s>', '</think>\n\n')).toEqual({
      before: '<s><｜User｜>',
      after: '<｜Assistant｜><think>\n',
      trims: false,
    });
    expect(() => renderTemplate(DEEPSEEK_R1_LIKE, '<s>', '</s>', 'Answer:')).toThrow(/opens a thought/);
  });

  it('Gemma: no system turn, one start token, a trimmed question', () => {
    expect(renderTemplate(GEMMA_LIKE, '<bos>', '<eos>')).toEqual({
      before: '<bos><start_of_turn>user\n',
      after: '<end_of_turn>\n<start_of_turn>model\n',
      trims: true,
    });
  });

  it('Llama 3: its own system turn with the fixed date, a trimmed question', () => {
    expect(renderTemplate(LLAMA3_LIKE, '<|begin_of_text|>', '<|eot_id|>')).toEqual({
      before:
        '<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nKnowledge until: some day\nToday: 26 Jul 2024\n\n<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n',
      after: '<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
      trims: true,
    });
  });

  it('Phi-3 and Mistral: what heads the reply is all that follows the question', () => {
    expect(renderTemplate(PHI3_LIKE, '<s>', '</s>')).toEqual({
      before: '<|user|>\n',
      after: '<|end|>\n<|assistant|>\n',
      trims: false,
    });
    expect(renderTemplate(MISTRAL_LIKE, '<s>', '</s>')).toEqual({
      before: '<s> [INST] ',
      after: ' [/INST]',
      trims: false,
    });
  });
});
