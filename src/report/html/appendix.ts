import { html, type Markup } from './page/markup.js';

export interface AppendixPart {
  readonly id: string;
  readonly title: string;
  /** null: the run has nothing of it. */
  readonly content: Markup | null;
}

/** What stands behind the answer, each part closed until it is asked for; on paper there is only what is open. */
export function appendix(parts: readonly AppendixPart[]): Markup {
  return html`<section id="appendix" aria-labelledby="appendix-h">
<h2 id="appendix-h">Appendix</h2>
${parts.flatMap(({ id, title, content }) =>
  content === null
    ? []
    : [
        html`<details class="part" id="${id}"><summary><h3>${title}</h3></summary>
<div class="inside">${content}</div></details>
`,
      ],
)}</section>`;
}
