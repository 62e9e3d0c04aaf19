import { methodKey, methodLabel } from '../../../results/method-label.js';
import type { PublishedComparison } from '../../../results/published-comparison.js';
import type { Results } from '../../../results/results-schema.js';
import { formatFixed, formatSigned } from '../../text/format-number.js';
import { html, type Markup, scrollable } from '../page/markup.js';
import { sortable } from '../page/sortable.js';

type Table = PublishedComparison['tables'][number];

/** Our ECE beside printed numbers of a data set; nothing where the suite names none. */
export function publishedTables(dataset: string, { published }: Pick<Results, 'published'>): Markup[] {
  if (published === null) return [];
  const { title } = published;
  const tables = published.tables.filter((table) => table.dataset === dataset);
  const diagnostics = published.diagnostics.filter((row) => row.dataset === dataset);
  return [
    ...tables.map((table) => publishedTable(table, title)),
    ...(diagnostics.length === 0 ? [] : [diagnosticsTable(diagnostics, title)]),
  ];
}

function diagnosticsTable(rows: PublishedComparison['diagnostics'], title: string): Markup {
  const caption = `Beside ${title}: numbers of its figures and appendices`;
  return scrollable(
    caption,
    html`<table class="grid"><caption>${caption}</caption>
<thead><tr><th scope="col">Quantity</th><th scope="col">Method</th>${['Ours', 'Printed', 'Difference'].map((head) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
      ({ quantity, combinationSize, ours, printed, difference }) =>
        html`<tr><th scope="row">${quantity}</th><td>${combinationSize === null ? '' : methodLabel('supportcal', combinationSize)}</td><td class="num">${formatFixed(ours, 3)}</td><td class="num">${formatFixed(printed, 3)}</td><td class="num">${formatSigned(difference, 3)}</td></tr>`,
    )}</tbody></table>`,
  );
}

function publishedTable({ name, rows, macro }: Table, title: string): Markup {
  const columns = macro.map((each) => ({ ...each, key: methodKey(each.method, each.combinationSize) }));
  const byKey = new Map(rows.map((row) => [`${methodKey(row.method, row.combinationSize)} ${row.target}`, row]));
  const targets = [...new Set(rows.map((row) => row.target))];
  const caption = `Beside ${title}, ${name}: ECE in pp, ours / printed (difference in standard errors of both)`;
  const content = html`<table class="grid sortable"><caption>${caption}</caption>
<thead><tr><th scope="col" data-sort="text">Target</th>${columns.map(({ key, method, combinationSize }) => html`<th scope="col" class="num" data-sort="number" data-method="${key}">${methodLabel(method, combinationSize)}</th>`)}</tr></thead>
<tbody>${targets.map(
    (target) =>
      html`<tr data-target="${target}"><th scope="row">${target}</th>${columns.map(({ key }) => cell(key, byKey.get(`${key} ${target}`)))}</tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">Mean of both</th>${columns.map(
    ({ key, targets: both, eceMeanPp, printedMeanPp }) =>
      html`<td class="num" data-method="${key}">${both === 0 ? '–' : `${formatFixed(eceMeanPp)} / ${formatFixed(printedMeanPp)} (${both} of ${targets.length})`}</td>`,
  )}</tr></tfoot></table>`;
  return html`${scrollable(caption, content)}
<p class="note">Ours is the total standard error where it is known, and at least as much is taken for the printed one; they hold no uncertainty about model files, quantisation and prompts, so large differences are to be expected where those differ.</p>`;
}

/** Ours, and smaller the printed number and how far apart they are; sorted by ours. */
function cell(key: string, row: Table['rows'][number] | undefined): Markup {
  const { eceMeanPp = null, printedMeanPp = null, differenceSe = null } = row ?? {};
  const inSe = differenceSe === null ? '' : ` (${formatSigned(differenceSe)} SE)`;
  const text =
    row === undefined
      ? ''
      : html`${eceMeanPp === null ? '–' : formatFixed(eceMeanPp)}<small> / ${formatFixed(printedMeanPp)}${inSe}</small>`;
  return html`<td class="num" data-method="${key}" data-v="${sortable(eceMeanPp)}">${text}</td>`;
}
