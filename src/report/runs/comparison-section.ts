import type { ComparisonDocument } from '../compare/comparison-document.js';
import type { TextTable } from '../compare/comparison-table.js';
import { html, type Markup, scrollable } from '../html/page/markup.js';
import { page } from '../html/page/page.js';
import { SORTING_SCRIPT } from '../html/page/script/page-script.js';

/** What changed between two runs, and why, as a page of its own. */
export function comparisonPage(document: ComparisonDocument): string {
  const content = html`<main><header class="opening"><p class="eyebrow">SupportCal comparison of two runs</p></header>
<section id="answer"><h1 class="claim">${document.headline}</h1>
${comparisonSection(document)}</section></main>`;
  return page('SupportCal: what changed between two runs', content, SORTING_SCRIPT);
}

/** The sides, what a reader must know, the rows that changed and the inputs that differ; without the headline. */
export function comparisonSection({ sides, notes, rows, hidden, macro, onlyIn, inputs, legend }: ComparisonDocument) {
  return html`<ul class="lines">${sides.map((side) => html`<li>${side}</li>`)}</ul>
${notes.map((note) => html`<p class="status partial">${note}</p>`)}
${table('Rows that changed', rows)}
${hidden !== null && html`<p class="note">${hidden}</p>`}${rows.rows.length > 0 && html`<p class="note">${legend}</p>`}
${inputs.length > 0 && html`<h3>Inputs that differ</h3><ol class="lines">${inputs.map((input) => html`<li>${input}</li>`)}</ol>`}
${onlyIn.length > 0 && html`<h3>In one run only</h3><ul class="lines">${onlyIn.map((each) => html`<li>${each}</li>`)}</ul>`}
${macro.rows.length > 0 && html`<h3>Mean over the targets of both</h3>`}${table('Mean over the targets of both', macro)}`;
}

function table(caption: string, { head, rows }: TextTable): Markup | null {
  if (rows.length === 0) return null;
  return scrollable(
    caption,
    html`<table class="grid plain small"><caption class="unseen">${caption}</caption>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
      ([
        first = '',
        ...cells
      ]) => html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
    )}</tbody></table>`,
  );
}
