import { methodKey } from '../../../results/method-label.js';
import type { ReportInput } from '../../../results/report-input.js';
import type { Results } from '../../../results/results-schema.js';
import { INTERVAL_LIMITS, intervalLimits, limitNotes } from '../../statistics/interval-limits.js';
import {
  accuracyText,
  cellMarks,
  cellText,
  footnotes,
  macroText,
  markNote,
  suspectMark,
} from '../../table/cell-text.js';
import { differenceParts, differencesFromDaca, type EceDifference } from '../../table/ece-difference.js';
import type { PaperColumn, PaperTable } from '../../table/paper-table.js';
import { zip } from '../../table/zip.js';
import { formatFixed, formatPercent } from '../../text/format-number.js';
import { html, type Markup } from '../page/markup.js';
import { methodTable } from './method-table.js';
import { publishedTables } from './published-table.js';

/** ECE of one data set in the paper's layout, and beside printed numbers where the suite names some. */
export function tableSection(table: PaperTable, { results, diagnostics }: ReportInput): Markup {
  const { dataset } = table;
  const seeds = table.seeds === 1 ? 'one split' : `mean ± SE over ${table.seeds} splits`;
  const differences = differencesFromDaca(table);
  const notes = [
    markNote(table),
    ...(differences === null || table.rows.length < 2
      ? []
      : [
          `Less DACA: mean difference of ECE over targets in pp; interval of level 0.95 and p-values of the paired test on new examples for these targets (${table.comparisons[0]?.resamples} resamples, temperatures refitted).`,
        ]),
    ...footnotes(table),
    ...limitNotes(table, diagnostics),
  ];
  return html`<section class="dataset" data-dataset="${dataset}">
<div class="ece">${eceTable(table, { results, diagnostics }, `ECE in pp, ${seeds}`, differences)}
${notes.map((note) => html`<p class="note">${note}</p>`)}</div>
${publishedTables(dataset, results)}
</section>`;
}

function eceTable(
  table: PaperTable,
  { results, diagnostics }: Pick<ReportInput, 'results' | 'diagnostics'>,
  caption: string,
  differences: ReturnType<typeof differencesFromDaca>,
): Markup {
  const intervals = new Map(
    results.summary
      .filter((row) => row.dataset === table.dataset)
      .map((row) => [JSON.stringify([row.target, methodKey(row.method, row.combinationSize)]), row]),
  );
  const limits = intervalLimits(table, diagnostics);
  const hint = (target: string, column: PaperColumn) => {
    const row = intervals.get(JSON.stringify([target, column.key]));
    if (row === undefined || row.eceLowPp === null) return null;
    const marks = limits(target, column.key).map((limit) => INTERVAL_LIMITS[limit].mark);
    return cellHint(row, marks.length === 0 ? '' : ` (${marks.join(' ')} perhaps too short)`);
  };
  return methodTable({
    caption: `${table.dataset}: ${caption}`,
    dataset: table.dataset,
    columns: table.columns,
    leads: ['Accuracy %, base → post (gain)', 'Disagree %'],
    rows: table.rows.map((row) => ({
      target: row.target,
      mark: suspectMark(row),
      leads: [
        { content: html`${accuracyText(row)}`, value: row.gainPp },
        { content: html`${formatPercent(row.disagreementRate)}`, value: row.disagreementRate },
      ],
      cells: zip(row.cells, table.columns).map(([cell, column]) => ({
        text: cellText(cell),
        value: cell.meanPp,
        rank: cell.rank,
        marks: cellMarks(cell),
        hint: hint(row.target, column),
      })),
    })),
    macro:
      table.rows.length < 2
        ? null
        : table.macro.map((cell) => ({ text: macroText(cell), value: cell.meanPp, rank: cell.rank })),
    below: table.rows.length < 2 ? null : differences && { label: 'Less DACA', cells: differences.map(differenceCell) },
  });
}

/** Interval, total standard error, and what a calibrated model would show. */
function cellHint(row: Results['summary'][number], limits: string): string {
  const total = row.eceTotalSePp === null ? '' : `; total standard error ${formatFixed(row.eceTotalSePp)} pp`;
  const { calibratedMeanPp: mean, calibratedHighPp: high, calibratedPValue: p } = row;
  const calibrated =
    p === null
      ? ''
      : `; a calibrated model would show ${formatFixed(mean)} pp, in 1 of 20 cases ${formatFixed(high)} or more (p = ${formatFixed(p, 3)})`;
  return `95 % interval ${formatFixed(row.eceLowPp)} to ${formatFixed(row.eceHighPp)} pp${limits}${total}${calibrated}`;
}

function differenceCell(difference: EceDifference | null): Markup | null {
  if (difference === null) return null;
  const { value, interval, p } = differenceParts(difference);
  return html`<span>${value}</span><span>${interval}</span><span>${p}</span>`;
}
