import type { ReportInput } from '../../results/report-input.js';
import { buildPaperTable, type PaperTable } from '../table/paper-table.js';
import { exampleSection } from './example-section.js';
import { figureSection, type PageFigure } from './figure-section.js';
import { html, type Markup } from './markup.js';
import { openingSection } from './opening-section.js';
import { page } from './page.js';
import { PAGE_BUDGET } from './page-budget.js';
import { provenanceSection } from './provenance-section.js';
import { statisticSection } from './statistic-section.js';
import { tableSection } from './table-section.js';

/**
 * report.html: one file that needs nothing else, whose figures, further tables and examples have a budget. It reads
 * without JavaScript; with it, tables sort and everything can be narrowed to a data set, a target and some methods.
 * Text from data stays text.
 */
export function renderHtmlReport(input: ReportInput, figures: readonly PageFigure[]): string {
  const { results, examples } = input;
  const datasets = [...new Set(results.summary.map((row) => row.dataset))];
  const tables = datasets.map((dataset) => buildPaperTable(results, dataset));
  const parts: [string, string, Markup | null][] = [
    ['headline', 'Summary', openingSection(results, tables)],
    ['tables', 'Tables', tablesSection(tables, input)],
    ['figures', 'Figures', figureSection(figures)],
    ['examples', 'Examples', exampleSection(examples)],
    ['provenance', 'Provenance', provenanceSection(input)],
  ];
  const shown = parts.filter(([, , content]) => content !== null);
  const [opening, ...rest] = shown.map(([, , content]) => content);
  const links = shown.map(([id, name]) => html`<a href="#${id}">${name}</a>`);
  return page(
    `${results.suite}: SupportCal calibration report`,
    html`<a class="skip" href="#headline">Skip to the report</a>
<nav aria-label="Sections">${links}</nav>
<main>${opening ?? null}
${filters(tables, links)}
${rest}</main>`,
  );
}

function tablesSection(tables: readonly PaperTable[], input: ReportInput): Markup {
  const { results } = input;
  const budget = PAGE_BUDGET.metrics / tables.length;
  return html`<section id="tables" aria-labelledby="tables-h">
<h2 id="tables-h">Tables</h2>
<p class="lead">Bold are the label-free methods that cannot be told from the best of their row; nothing is bold in a row where nothing can be told apart.</p>
${tables.map((table) => html`${tableSection(table, results, budget)}${statisticSection(table, input)}`)}</section>`;
}

/**
 * Shown by the script alone: without it there is nothing that could filter. It stays in sight, so it leads to the
 * sections too.
 */
function filters(tables: readonly PaperTable[], links: readonly Markup[]): Markup {
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
  return html`<label>${label} <select name="${name}"><option value="">all</option>${values.map((value, i) => html`<option value="${i}" data-name="${value}">${value}</option>`)}</select></label>`;
}
