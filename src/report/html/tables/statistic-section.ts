import type { ReportInput } from '../../../results/report-input.js';
import type { StatisticTable } from '../../statistics/statistic-table.js';
import { statisticTables } from '../../statistics/statistic-tables.js';
import type { PaperTable } from '../../table/paper-table.js';
import { html, type Markup, scrollable } from '../page/markup.js';

/** Power, ranks, regret and selective prediction of one data set, one click away each; null where the run has none. */
export function statisticSection(table: PaperTable, { results, diagnostics }: ReportInput): Markup | null {
  const tables = statisticTables(table, results, diagnostics);
  if (tables.length === 0) return null;
  return html`<div class="statistics" data-dataset="${table.dataset}"><h3>${table.dataset}</h3>${tables.map((each) => statisticDetails(table.dataset, each))}</div>`;
}

function statisticDetails(dataset: string, { title, lead, head, rows, note }: StatisticTable): Markup {
  const [first = '', ...heads] = head;
  const content = html`<table class="grid plain small"><caption class="unseen">${title}, ${dataset}</caption>
<thead><tr><th scope="col">${first}</th>${heads.map((name) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([name = '', ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="num">${cell}</td>`)}</tr>
`,
  )}</tbody></table>`;
  return html`<details class="prose"><summary>${title}</summary>
<p class="note">${lead}</p>
${scrollable(`${title}, ${dataset}`, content)}${note !== null && html`<p class="note">${note}</p>`}</details>`;
}
