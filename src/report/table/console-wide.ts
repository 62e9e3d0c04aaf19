import { accuracyText } from './cell-text.js';
import { consoleCell, consoleMacroCell, consoleName, type Ink, markWidthOf } from './console-cell.js';
import { ruledTable } from './console-ruled.js';
import type { PaperTable } from './paper-table.js';

/** The paper's table: targets down, methods across, `mean ± SE` on one line. Returns its width too. */
export function wideTable(table: PaperTable, ink: Ink): { text: string; width: number } {
  const place = (content: string, i: number) => ({ content, apart: !table.columns[i]!.labelFree });
  const markWidths = table.columns.map((_, i) => markWidthOf(table.rows.map((row) => row.cells[i]!)));
  const heads = table.columns.map((column) => twoLines(consoleName(column.label)));
  return ruledTable(
    {
      head: [{ content: 'Target' }, { content: 'Accuracy\nbase → post' }, ...heads.map(place)],
      rows: table.rows.map((row) => [
        { content: consoleName(row.target) },
        { content: accuracyText(row) },
        ...row.cells.map((cell, i) => place(consoleCell(cell, markWidths[i]!, ink), i)),
      ]),
      foot: [
        { content: 'Macro average' },
        { content: '' },
        ...table.macro.map((cell, i) => place(consoleMacroCell(cell, markWidths[i]!, ink), i)),
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
