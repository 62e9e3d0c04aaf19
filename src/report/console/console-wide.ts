import { accuracyText, suspectMark } from '../table/cell-text.js';
import type { PaperTable } from '../table/paper-table.js';
import { zip } from '../table/zip.js';
import { consoleCell, consoleMacroCell, consoleName, type Ink, markWidthOf } from './console-cell.js';
import { ruledTable } from './console-ruled.js';

/** The paper's table: targets down, methods across, `mean ± SE` on one line. Returns its width too. */
export function wideTable(table: PaperTable, ink: Ink): { text: string; width: number } {
  const columns = table.columns.map(({ label, labelFree }, i) => ({
    head: twoLines(consoleName(label)),
    markWidth: markWidthOf(table.rows.flatMap((row) => row.cells[i] ?? [])),
    place: (content: string) => ({ content, apart: !labelFree }),
  }));
  return ruledTable(
    {
      head: [
        { content: 'Target' },
        { content: 'Accuracy\nbase → post' },
        ...columns.map(({ head, place }) => place(head)),
      ],
      rows: table.rows.map((row) => [
        { content: `${consoleName(row.target)}${suspectMark(row)}` },
        { content: accuracyText(row) },
        ...zip(columns, row.cells).map(([{ markWidth, place }, cell]) => place(consoleCell(cell, markWidth, ink))),
      ]),
      foot: [
        { content: 'Macro average' },
        { content: '' },
        ...zip(columns, table.macro).map(([{ markWidth, place }, cell]) =>
          place(consoleMacroCell(cell, markWidth, ink)),
        ),
      ],
      gap: 1,
    },
    ink,
  );
}

/** `SupportCal (2)` over two lines, broken at its first space before a bracket or at its first space. */
function twoLines(label: string): string {
  const at = label.includes(' (') ? label.lastIndexOf(' (') : label.indexOf(' ');
  return at < 0 ? label : `${label.slice(0, at)}\n${label.slice(at + 1)}`;
}
