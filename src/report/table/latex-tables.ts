import { latexTablePath } from '../file-names.js';
import { formatFixed, formatPercent, formatSigned, NOT_AVAILABLE } from '../format-number.js';
import type { ReportFile } from '../report-file.js';
import type { Results } from '../results-schema.js';
import { latexText } from './latex-text.js';
import { buildPaperTable, type MacroCell, type PaperCell, type PaperRow, type PaperTable } from './paper-table.js';
import type { Rank } from './rank-values.js';

/**
 * tables/<dataset>.tex: the paper's table of one data set, to \input into a document with \usepackage{booktabs} and
 * \usepackage[T1]{fontenc}; nothing else is needed. Best bold and second underlined, on unrounded values.
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
  const head = ['Model', 'Acc.\\ (gain)', ...columns.map(({ label }) => latexText(label))];
  const free = columns.filter(({ labelFree }) => labelFree).length;
  const layout = `l r ${'r'.repeat(free)}${free < columns.length ? `@{\\hskip 14pt}${'r'.repeat(columns.length - free)}` : ''}`;
  const lines = [
    '% Needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}.',
    '\\begin{table}[t]',
    '\\centering',
    '\\small',
    '\\setlength{\\tabcolsep}{4pt}',
    `\\caption{${caption(table)}}`,
    `\\begin{tabular}{@{}${layout}@{}}`,
    '\\toprule',
    line(head),
    '\\midrule',
    ...rows.map((row) => line([latexText(row.target), accuracy(row), ...row.cells.map(cell)])),
    '\\midrule',
    line(['\\textit{Macro average}', '', ...table.macro.map(macroCell)]),
    '\\bottomrule',
    '\\end{tabular}',
    ...notes(table),
    '\\end{table}',
  ];
  return `${lines.join('\n')}\n`;
}

function caption({ dataset, seeds, columns }: PaperTable): string {
  const spread = seeds > 1 ? `mean $\\pm$ standard error over ${seeds} seeds` : 'one seed, no standard error';
  const oracle = columns.some(({ labelFree }) => !labelFree)
    ? ' The last column is fitted on labels and does not compete.'
    : '';
  return `ECE in percentage points on ${latexText(dataset)}, ${spread}, lower is better; best label-free method bold, second underlined.${oracle}`;
}

function accuracy({ accuracy: value, gainPp }: PaperRow): string {
  return value === null ? NOT_AVAILABLE : `${formatPercent(value)} ($${formatSigned(gainPp)}$)`.replace('$n/a$', 'n/a');
}

function cell({ meanPp, sePp, rank, infinite, none }: PaperCell): string {
  const marks = `${infinite > 0 ? '\\infty' : ''}${none > 0 ? '\\emptyset' : ''}`;
  const after = marks === '' ? '' : `$^{${marks}}$`;
  if (meanPp === null) return `${NOT_AVAILABLE}${after}`;
  const error = sePp === null ? '' : `{\\scriptsize\\,$\\pm$\\,${formatFixed(sePp)}}`;
  return `${ranked(formatFixed(meanPp), rank)}${error}${after}`;
}

function macroCell({ meanPp, rank, targets }: MacroCell): string {
  return meanPp === null || targets === 0 ? NOT_AVAILABLE : ranked(formatFixed(meanPp), rank);
}

function ranked(text: string, rank: Rank): string {
  if (rank === 'best') return `\\textbf{${text}}`;
  return rank === 'second' ? `\\underline{${text}}` : text;
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
