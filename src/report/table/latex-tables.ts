import type { Results } from '../../results/results-schema.js';
import { latexTablePath } from '../text/file-names.js';
import { formatFixed, formatPercent, formatSigned, NOT_AVAILABLE } from '../text/format-number.js';
import type { ReportFile } from '../text/report-file.js';
import { markNote, suspectMark } from './cell-text.js';
import { headLines } from './head-lines.js';
import { latexText } from './latex-text.js';
import {
  buildPaperTable,
  type MacroCell,
  type PaperCell,
  type PaperRow,
  type PaperTable,
  type Rank,
} from './paper-table.js';

/** Methods of a table whose errors stand beside their means. */
const MOST_ON_ONE_LINE = 6;

/**
 * tables/<dataset>.tex: the paper's table of one data set, to \input into a document with \usepackage{booktabs} and
 * \usepackage[T1]{fontenc}; nothing else is needed. Methods that cannot be told from the best are bold. In a table of
 * many methods the errors stand below the means: ten of them fit a text of 14 cm while names of models are short.
 */
export function latexTables(results: Results): ReportFile[] {
  const datasets = [...new Set(results.summary.map((row) => row.dataset))];
  return datasets.map((dataset) => ({
    path: latexTablePath(dataset),
    data: latexTable(buildPaperTable(results, dataset)),
  }));
}

function latexTable(table: PaperTable): string {
  const { columns, rows } = table;
  const stacked = columns.length > MOST_ON_ONE_LINE;
  const free = columns.filter(({ labelFree }) => labelFree).length;
  const layout = `l r ${'r'.repeat(free)}${free < columns.length ? `@{\\hskip 14pt}${'r'.repeat(columns.length - free)}` : ''}`;
  const lines = [
    '% Needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}.',
    '\\begin{table}[t]',
    '\\centering',
    stacked ? '\\footnotesize' : '\\small',
    `\\setlength{\\tabcolsep}{${stacked ? '2.5' : '4'}pt}`,
    `\\caption{${caption(table)}}`,
    '\\vspace{4pt}',
    `\\begin{tabular}{@{}${layout}@{}}`,
    '\\toprule',
    ...(stacked
      ? stackedHead(columns)
      : [line(['Model', 'Acc.\\ (gain)', ...columns.map(({ label }) => latexText(label))])]),
    '\\midrule',
    ...rows.flatMap(stacked ? stackedRow : plainRow),
    '\\midrule',
    line([stacked ? '\\textit{Macro av.}' : '\\textit{Macro average}', '', ...table.macro.map(macroCell)]),
    '\\bottomrule',
    '\\end{tabular}',
    ...notes(table),
    '\\end{table}',
  ];
  return `${lines.join('\n')}\n`;
}

function caption(table: PaperTable): string {
  const { dataset, seeds, columns } = table;
  const spread = seeds > 1 ? `mean $\\pm$ standard error over ${seeds} splits` : 'one split, no standard error';
  const oracle = columns.some(({ labelFree }) => !labelFree)
    ? ' The last column is fitted on labels and does not compete.'
    : '';
  const bold = latexText(markNote(table).replace('Marked alike:', 'Bold:'));
  return `ECE in percentage points on ${latexText(dataset)}, ${spread}, lower is better. ${bold}${oracle}`;
}

/** `Model`, accuracy and methods over as many lines as the longest head has. */
function stackedHead(columns: PaperTable['columns']): string[] {
  const heads = [['Model'], ['Acc.', '(gain)'], ...columns.map(({ label }) => headLines(label))];
  const height = Math.max(...heads.map((lines) => lines.length));
  return Array.from({ length: height }, (_, n) =>
    line(heads.map((lines) => small('scriptsize', latexText(lines[n - height + lines.length] ?? '')))),
  );
}

/** Means, and close below them gain and errors. */
function stackedRow(row: PaperRow): string[] {
  const gain = row.accuracy === null ? '' : small('tiny', gainText(row));
  const errors = row.cells.map(({ meanPp, sePp }) =>
    meanPp === null || sePp === null ? '' : small('tiny', `$\\pm$\\,${formatFixed(sePp)}`),
  );
  return [
    `${line([latexText(`${row.target}${suspectMark(row)}`), formatPercent(row.accuracy), ...row.cells.map(meanText)])}[-2.5pt]`,
    `${line(['', gain, ...errors])}[1pt]`,
  ];
}

function plainRow(row: PaperRow): string[] {
  const accuracy = row.accuracy === null ? NOT_AVAILABLE : `${formatPercent(row.accuracy)} ${gainText(row)}`;
  return [line([latexText(`${row.target}${suspectMark(row)}`), accuracy, ...row.cells.map(plainCell)])];
}

function gainText({ gainPp }: PaperRow): string {
  return gainPp === null ? `(${NOT_AVAILABLE})` : `($${formatSigned(gainPp)}$)`;
}

function small(size: string, text: string): string {
  return text === '' ? '' : `{\\${size} ${text}}`;
}

function plainCell(cell: PaperCell): string {
  const { meanPp, sePp } = cell;
  if (meanPp === null || sePp === null) return meanText(cell);
  return `${ranked(formatFixed(meanPp), cell.rank)}{\\scriptsize\\,$\\pm$\\,${formatFixed(sePp)}}${marksOf(cell)}`;
}

function meanText(cell: PaperCell): string {
  return `${cell.meanPp === null ? NOT_AVAILABLE : ranked(formatFixed(cell.meanPp), cell.rank)}${marksOf(cell)}`;
}

function marksOf({ infinite, none }: PaperCell): string {
  const marks = `${infinite > 0 ? '\\infty' : ''}${none > 0 ? '\\emptyset' : ''}`;
  return marks === '' ? '' : `$^{${marks}}$`;
}

function macroCell({ meanPp, rank, targets }: MacroCell): string {
  return meanPp === null || targets === 0 ? NOT_AVAILABLE : ranked(formatFixed(meanPp), rank);
}

function ranked(text: string, rank: Rank): string {
  return rank === 'best' ? `\\textbf{${text}}` : text;
}

function notes({ rows, macro }: PaperTable): string[] {
  const cells = rows.flatMap((row) => row.cells);
  const lines = [
    cells.some(({ infinite }) => infinite > 0) ? '$^{\\infty}$ no finite temperature in some seeds.' : null,
    cells.some(({ none }) => none > 0) ? '$^{\\emptyset}$ no temperature in some seeds.' : null,
    macro.some(({ targets }) => targets < rows.length) ? 'Some macro averages are over fewer targets.' : null,
  ].filter((note) => note !== null);
  return lines.length === 0 ? [] : [`\\par\\smallskip{\\footnotesize ${lines.join(' ')}}`];
}

function line(cells: readonly string[]): string {
  return `${cells.join(' & ')} \\\\`;
}
