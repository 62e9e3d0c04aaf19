import { describe, expect, it } from 'vitest';
import { renderTemplate } from '../../src/engine/chat-template.js';

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
