import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, html, trusted } from '../../../../src/report/html/page/markup.js';

test('what is put into a template is escaped, in text and in attributes; markup and lists of it are not', () => {
  const items = ['<b>', '"'].map((item) => html`<li title="${item}">${item}</li>`);
  expect(html`<ul>${items}</ul>`.text).toBe(
    '<ul><li title="&#60;b&#62;">&#60;b&#62;</li><li title="&#34;">&#34;</li></ul>',
  );
  expect(html`${trusted('<svg/>')}${3}${null}${false}`.text).toBe('<svg/>3');
});

test('no text leaves its place: a decoder of the five entities gets it back', () => {
  const decode = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"'`]|&(?!#\d+;)/);
      expect(decode(escaped)).toBe(escapeHtml(text).replace(/&#\d+;/g, (entity) => decode(entity)));
    }),
  );
  expect(decode(escapeHtml(`a & b < "c" 'd' \`e\` é 😀`))).toBe(`a & b < "c" 'd' \`e\` é 😀`);
});

test('control characters, bidirectional overrides and lone surrogates are left out, line breaks are kept', () => {
  expect(escapeHtml('a\u0000\u001b[31m\u202eb\ud800\r\nc\td')).toBe('a[31mb\nc\td');
});
