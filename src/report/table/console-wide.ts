import Table from 'cli-table3';
import { accuracyText } from './cell-text.js';
import { consoleCell, consoleMacroCell, consoleName, type Ink, markWidthOf } from './console-cell.js';
import type { PaperTable } from './paper-table.js';

const RULES = {
  ...{
    top: '─',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    mid: '',
    'left-mid': '',
    'mid-mid': '',
    'right-mid': '',
  },
  ...{ bottom: '─', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '', left: '', right: '', middle: '' },
};
/** The oracle's column stands behind a line. */
const APART = { middle: '│', 'top-mid': '┬', 'bottom-mid': '┴' };

/** The paper's table: targets down, methods across, rules above and below the targets. Returns its width too. */
export function wideTable(table: PaperTable, ink: Ink): { text: string; width: number } {
  const output = new Table({
    chars: RULES,
    style: { head: [], border: [], compact: true, 'padding-left': 1, 'padding-right': 1 },
    colAligns: ['left', ...Array.from({ length: table.columns.length + 1 }, () => 'right' as const)],
  });
  const place = (content: string, i: number) => ({ content, ...(table.columns[i]!.labelFree ? {} : { chars: APART }) });
  const markWidths = table.columns.map((_, i) => markWidthOf(table.rows.map((row) => row.cells[i]!)));
  const heads = table.columns.map((column) => twoLines(consoleName(column.label)));
  output.push([
    bold('Target', ink),
    bold('Accuracy\nbase → post', ink),
    ...heads.map((head, i) => place(bold(head, ink), i)),
  ]);
  for (const row of table.rows) {
    const cells = row.cells.map((cell, i) => place(consoleCell(cell, markWidths[i]!, ink), i));
    output.push([consoleName(row.target), accuracyText(row), ...cells]);
  }
  const macro = table.macro.map((cell, i) => place(consoleMacroCell(cell, markWidths[i]!, ink), i));
  output.push(['Macro average', '', ...macro]);
  return withInnerRules(output.toString());
}

/** `SupportCal (2)` over two lines, broken at its first space before a bracket or at its first space. */
function twoLines(label: string): string {
  const at = label.includes(' (') ? label.lastIndexOf(' (') : label.indexOf(' ');
  return at < 0 ? label : `${label.slice(0, at)}\n${label.slice(at + 1)}`;
}

function bold(text: string, { colors }: Ink): string {
  return text
    .split('\n')
    .map((line) => colors.bold(line))
    .join('\n');
}

/** One rule under the two lines of the head, one above the macro average. */
function withInnerRules(text: string): { text: string; width: number } {
  const lines = text.split('\n');
  const rule = lines[0]!.replaceAll('┬', '┼');
  lines.splice(3, 0, rule);
  lines.splice(-2, 0, rule);
  return { text: lines.join('\n'), width: rule.length };
}
