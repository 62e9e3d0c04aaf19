import { type Content, html, type Markup } from './markup.js';

/** A box that scrolls sideways where its content is too wide, by keyboard too; `label` says what is in it. */
export function scrollable(label: string, content: Content, kind: 'table' | 'plot' = 'table'): Markup {
  return html`<div class="scroll${kind === 'plot' && ' plot'}" role="group" aria-label="${label}" tabindex="0">${content}</div>`;
}
