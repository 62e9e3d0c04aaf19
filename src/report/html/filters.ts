import type { PaperTable } from '../table/paper-table.js';
import { html, type Markup } from './page/markup.js';

/**
 * Shown by the script alone: without it there is nothing that could filter. It stays in sight, so it leads to the
 * sections too. One model on one data set leaves nothing to choose but methods.
 */
export function filters(tables: readonly PaperTable[], links: readonly Markup[]): Markup {
  const datasets = tables.map(({ dataset }) => dataset);
  const targets = [...new Set(tables.flatMap(({ rows }) => rows.map(({ target }) => target)))];
  const columns = new Map(tables.flatMap((table) => table.columns).map(({ key, label }) => [key, label] as const));
  return html`<form class="filters" aria-label="Filter" hidden>
${select('dataset', 'Data set', datasets)}${select('target', 'Target', targets)}
<details class="methods"><summary>Methods</summary><fieldset><legend class="unseen">Methods to show</legend>${[
    ...columns,
  ].map(
    ([key, label]) => html`<label><input type="checkbox" name="method" value="${key}" checked> ${label}</label>`,
  )}</fieldset></details>
<button type="reset">Reset</button><span role="status" class="shown"></span>
<span class="jump">${links}</span></form>`;
}

function select(name: string, label: string, values: readonly string[]): Markup {
  return html`<label${values.length < 2 && html` hidden`}>${label} <select name="${name}"><option value="">all</option>${values.map((value, i) => html`<option value="${i}" data-name="${value}">${value}</option>`)}</select></label>`;
}
