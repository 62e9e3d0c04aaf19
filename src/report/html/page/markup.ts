import { seenText } from '../../text/plain-text.js';

/** Finished HTML. Only `html`, `joined` and `trusted` make it, so text from data cannot pass for it. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Content = Markup | string | number | null | false | readonly Content[];

/**
 * A template of HTML: everything put into it is escaped, for text and for attributes in double quotes alike, except
 * Markup and lists of it. null and false are nothing. Never put a value into a script, a style or an unquoted
 * attribute.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  let text = '';
  for (const [n, part] of parts.entries()) text += n === 0 ? part : textOf(values[n - 1] ?? null) + part;
  return new Markup(text);
}

/** Markup that was made elsewhere with its own escaping, such as our SVG figures. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

/**
 * Text of a node or an attribute. Control characters but tab and line break, what nobody sees (bidirectional overrides,
 * zero-width spaces) and lone surrogates are left out; so is NUL, which a parser would replace.
 */
export function escapeHtml(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return seenText(text.replace(/\r\n?/g, '\n')).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Anything but the plain characters that nearly every text consists of. */
const UNSAFE = /[^ !#$%()*+,\-./\w:;=?@[\\\]^{|}~]/;

/** Data for the script of the page, which no browser runs; its texts are for `textContent` alone. */
export function jsonData(data: unknown, id?: string): Markup {
  const text = JSON.stringify(data, (_, value: unknown) => (typeof value === 'string' ? seenText(value) : value));
  const named = id === undefined ? '' : ` id="${escapeHtml(id)}"`;
  const safe = text
    .replace(/</g, '\\u003c')
    .replace(/>/g, '\\u003e')
    .replace(/\\./g, (pair) => (pair === '\\"' ? '\\u0022' : pair));
  return new Markup(`<script type="application/json"${named}>${safe}</script>`);
}

function textOf(value: Content): string {
  if (value === null || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(textOf).join('');
}

/** A box that scrolls sideways where its content is too wide, by keyboard too; `label` says what is in it. */
export function scrollable(label: string, content: Content, kind: 'table' | 'plot' = 'table'): Markup {
  return html`<div class="scroll${kind === 'plot' && ' plot'}" role="group" aria-label="${label}" tabindex="0">${content}</div>`;
}
