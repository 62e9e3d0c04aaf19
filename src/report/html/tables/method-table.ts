import type { PaperColumn, Rank } from '../../table/paper-table.js';
import { zip } from '../../table/zip.js';
import { html, type Markup, scrollable } from '../page/markup.js';
import { sortable } from '../page/sortable.js';

/** One value of a method on one target. */
export interface TableCell {
  readonly text: string;
  /** What the column is sorted by; null comes last. */
  readonly value: number | null;
  readonly rank: Rank;
  readonly marks?: string;
  /** Shown when pointed at. */
  readonly hint?: string | null;
}

export interface MethodTable {
  readonly caption: string;
  readonly dataset: string;
  readonly columns: readonly PaperColumn[];
  /** Heads of the columns behind the methods. */
  readonly leads: readonly string[];
  readonly rows: ReadonlyArray<{
    readonly target: string;
    /** Behind its name. */
    readonly mark?: string;
    readonly leads: ReadonlyArray<{ readonly content: Markup; readonly value: number | null }>;
    readonly cells: readonly TableCell[];
  }>;
  /** One per column; null: no macro row. */
  readonly macro: readonly TableCell[] | null;
  /** A row below the macro average; cells one per column. */
  readonly below?: { readonly label: string; readonly cells: readonly (Markup | null)[] } | null;
}

/** Names beyond this are cut off by the style; pointing at them shows them whole. */
const LONG_NAME = 30;

/** Targets down, methods across, the macro average below: the layout of the paper. */
export function methodTable(table: MethodTable): Markup {
  const { columns, leads, rows, macro, below = null } = table;
  return scrollable(
    table.caption,
    html`
<table class="grid sortable"><caption>${table.caption}</caption>
<thead><tr><th scope="col" data-sort="text">Target</th>${columns.map(
      (column) =>
        html`<th scope="col" class="num${apart(column)}" data-sort="number" data-method="${column.key}">${column.label}</th>`,
    )}${leads.map((lead) => html`<th scope="col" class="num aside" data-sort="number">${lead}</th>`)}</tr></thead>
<tbody>${rows.map(
      ({ target, mark = '', leads: itsLeads, cells }) => html`<tr data-target="${target}">
<th scope="row"${target.length > LONG_NAME && html` title="${target}"`}>${target}${mark}</th>${zip(cells, columns).map(([cell, column]) => tableCell(cell, column))}${itsLeads.map(({ content, value }) => html`<td class="aside" data-v="${sortable(value)}">${content}</td>`)}</tr>`,
    )}</tbody>
${
  macro &&
  html`<tfoot><tr><th scope="row">Macro average</th>${zip(macro, columns).map(([cell, column]) => tableCell(cell, column))}${leads.map(() => html`<td class="aside"></td>`)}</tr>${
    below &&
    html`
<tr class="less"><th scope="row">${below.label}</th>${zip(below.cells, columns).map(([cell, { labelFree, key }]) => html`<td${labelFree ? '' : html` class="apart"`} data-method="${key}">${cell}</td>`)}${leads.map(() => html`<td class="aside"></td>`)}</tr>`
  }</tfoot>`
}
</table>`,
  );
}

function tableCell({ text, value, rank, marks, hint }: TableCell, column: PaperColumn): Markup {
  const title = hint ? html` title="${hint}"` : '';
  return html`<td${column.labelFree ? '' : html` class="apart"`} data-method="${column.key}" data-v="${sortable(value)}"${title}>${ranked(text, rank)}${marks ? html` <span class="mark">${marks}</span>` : ''}</td>`;
}

/** Mean bold for the eye, in words for those who listen; its error smaller. */
function ranked(text: string, rank: Rank): Markup {
  const [mean = text, error] = text.split(' ± ');
  const rest = error === undefined ? '' : html`<small> ± ${error}</small>`;
  if (rank === 'best') return html`<b>${mean}</b>${rest}<span class="unseen"> (not told from the best)</span>`;
  return html`${mean}${rest}`;
}

function apart(column: PaperColumn): string {
  return column.labelFree ? '' : ' apart';
}
