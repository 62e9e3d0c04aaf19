import { mean } from '../../numeric/mean.js';
import { methodKey } from '../../results/method-label.js';
import type { RunResult } from '../../results/run-schema.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { formatFixed, formatSignificant } from '../text/format-number.js';
import { html, type Markup, scrollable } from './markup.js';

/** Label-free fits in the order of choice. It is fixed beforehand: choosing by the measured ECE would need labels. */
const CHOICE = ['supportcal', 'relative-only', 'daca', 'full-kl'];

/** The temperature of one target to go on with. */
interface ChosenTemperature {
  readonly target: string;
  /** Mean over the seeds that have a finite one; null: none has. */
  readonly temperature: number | null;
  readonly finite: readonly number[];
  /** Seeds without a finite one. */
  readonly unfit: number;
  readonly ecePp: number | null;
  /** Another label-free method has a lower ECE. */
  readonly beaten: boolean;
}

export interface ChosenTemperatures {
  readonly column: PaperColumn;
  readonly rows: readonly ChosenTemperature[];
}

/** The temperatures to use on one data set; null when the run has no label-free fit. */
export function chosenTemperatures(table: PaperTable, runs: readonly RunResult[]): ChosenTemperatures | null {
  const column = choose(table);
  if (column === null) return null;
  const at = table.columns.indexOf(column);
  const ofColumn = runs.filter(
    (run) => run.dataset === table.dataset && methodKey(run.method, run.combinationSize) === column.key,
  );
  const rows = table.rows.map(({ target, cells }) => {
    const itsRuns = ofColumn.filter((run) => run.target === target);
    const finite = itsRuns.map((run) => run.temperature).filter((value) => value !== null);
    const lowest = cells.find((cell) => cell.rank === 'best')?.meanPp;
    const ecePp = cells[at]?.meanPp ?? null;
    const beaten = typeof lowest === 'number' && ecePp !== null && lowest < ecePp;
    return { target, temperature: mean(finite), finite, unfit: itsRuns.length - finite.length, ecePp, beaten };
  });
  return { column, rows };
}

/** Target, temperature to copy, ECE before and after. */
export function temperatureTable(table: PaperTable, { column, rows }: ChosenTemperatures): Markup {
  const vanilla = table.columns.findIndex(({ method }) => method === 'vanilla');
  const before = (n: number) => {
    const cell = table.rows[n]?.cells[vanilla];
    return cell === undefined ? '' : `${formatFixed(cell.meanPp)} → `;
  };
  const content = html`
<table class="grid plain taus"><caption class="unseen">Temperature to use on ${table.dataset}</caption>
<thead><tr><th scope="col">Target</th><th scope="col" class="num">Temperature</th><th scope="col" class="num">ECE pp</th></tr></thead>
<tbody>${rows.map(
    (row, n) =>
      html`<tr data-target="${row.target}"><th scope="row">${row.target}</th><td class="num">${temperatureCell(row)}</td><td class="num">${row.ecePp === null ? '' : `${before(n)}${formatFixed(row.ecePp)}`}</td></tr>`,
  )}</tbody></table>`;
  return html`${scrollable(`Temperatures for ${table.dataset}`, content)}${beatenNote(column, rows)}`;
}

function temperatureCell({ temperature, finite, unfit }: ChosenTemperature): Markup {
  if (temperature === null) return html`<span class="mark">none finite</span>`;
  const range =
    `${formatSignificant(Math.min(...finite))} to ${formatSignificant(Math.max(...finite))} over ${finite.length} seeds` +
    (unfit > 0 ? `; ${unfit} without a finite temperature` : '');
  const mark = unfit > 0 && html` <span class="mark">∞ ${unfit}/${unfit + finite.length}</span>`;
  return html`<code class="copy" data-copy="${String(temperature)}" title="${range}">${formatSignificant(temperature)}</code>${mark}`;
}

function beatenNote({ label }: PaperColumn, rows: readonly ChosenTemperature[]): Markup | null {
  const beaten = rows.filter((row) => row.beaten).length;
  if (beaten === 0) return null;
  return html`<p class="note">Another label-free method has a lower ECE than ${label} on ${beaten} of ${rows.length}: see <a href="#tables">Tables</a>.</p>`;
}

function choose({ columns }: PaperTable): PaperColumn | null {
  for (const method of CHOICE) {
    const of = columns.filter((column) => column.method === method);
    const [first] = of.toSorted((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0));
    if (first !== undefined) return first;
  }
  return null;
}
