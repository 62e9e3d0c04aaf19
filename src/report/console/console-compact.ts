import { cellMarks, suspectMark } from '../table/cell-text.js';
import { headLines } from '../table/head-lines.js';
import type { PaperCell, PaperTable } from '../table/paper-table.js';
import { zip } from '../table/zip.js';
import { formatFixed, formatPercent, formatSigned } from '../text/format-number.js';
import { consoleName, type Ink, markWidthOf, meanText, paintRank, rankMark } from './console-cell.js';
import { type RuledCell, ruledTable } from './console-ruled.js';

/** With fewer methods side by side nothing is compared. */
const FEWEST = 3;

/**
 * The paper's table in less width: the standard error stands below its mean, heads take several lines, and where that
 * does not suffice the methods are dealt evenly to several tables, one below the other. null: three methods do not fit.
 */
export function compactTable(table: PaperTable, width: number, ink: Ink): string | null {
  const count = table.columns.length;
  for (let parts = 1; parts === 1 || count / parts >= FEWEST; parts++) {
    const size = Math.ceil(count / parts);
    const drawn = Array.from({ length: Math.ceil(count / size) }, (_, part) =>
      drawPart(table, part * size, Math.min(count, (part + 1) * size), ink),
    );
    if (drawn.every((each) => each.width <= width)) return drawn.map(({ text }) => text).join('\n');
  }
  return null;
}

/** The methods from `first` to before `end`; the first part has the accuracy. */
function drawPart({ columns, rows, macro, seeds }: PaperTable, first: number, end: number, ink: Ink) {
  const shown = columns.slice(first, end).map(({ label, labelFree }, i) => ({
    head: headLines(consoleName(label)).join('\n'),
    markWidth: markWidthOf(rows.flatMap((row) => row.cells[first + i] ?? [])),
    place: (content: string): RuledCell => ({ content, apart: !labelFree }),
  }));
  const withAccuracy = (content: string) => (first === 0 ? [{ content }] : []);
  const blank = (markWidth: number) => ' '.repeat(markWidth + (ink.color ? 0 : 1));
  return ruledTable(
    {
      head: [{ content: 'Target' }, ...withAccuracy('Acc.\n(gain)'), ...shown.map(({ head, place }) => place(head))],
      rows: rows.map((row) => [
        { content: `${consoleName(row.target)}${suspectMark(row)}` },
        ...withAccuracy(`${formatPercent(row.accuracy)} \n(${formatSigned(row.gainPp)})`),
        ...zip(shown, row.cells.slice(first, end)).map(([{ markWidth, place }, cell]) =>
          place(compactCell(cell, seeds, markWidth, ink)),
        ),
      ]),
      foot: [
        { content: 'Macro\naverage' },
        ...withAccuracy(''),
        ...zip(shown, macro.slice(first, end)).map(([{ markWidth, place }, cell]) =>
          place(meanText(cell, ink) + blank(markWidth)),
        ),
      ],
      gap: 0,
    },
    ink,
  );
}

/** The mean with its rank, and below it the error with the marks of the footnotes. */
function compactCell(cell: PaperCell, seeds: number, markWidth: number, ink: Ink): string {
  const marks = cellMarks(cell).padEnd(markWidth);
  const error = seeds === 1 || ink.brief || cell.meanPp === null ? '' : `±${formatFixed(cell.sePp)}`;
  const tail = (text: string) => (text.trim() === '' ? text : ink.colors.yellow(text));
  const mean = paintRank(meanText(cell, ink), cell.rank, ink) + rankMark(cell.rank, ink);
  if (error === '') return mean + tail(marks);
  return `${mean}${' '.repeat(markWidth)}\n${ink.colors.dim(error)}${ink.color ? '' : ' '}${tail(marks)}`;
}
