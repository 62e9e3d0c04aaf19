import type pc from 'picocolors';
import { plainText, shortenName } from '../text/plain-text.js';
import { cellMarks, cellText, macroText } from './cell-text.js';
import type { MacroCell, PaperCell, Rank } from './paper-table.js';

/** How cells are painted: picocolors' functions, and whether they do anything. */
export interface Ink {
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly color: boolean;
}

const MEAN_WIDTH = 'nn.nn'.length;
const CELL_WIDTH = 'nn.nn ± n.nn'.length;
const MAX_NAME = 40;

/** One ECE, means under each other; marked ones bold, with `*` without colour; then the marks of footnotes. */
export function consoleCell(cell: PaperCell, markWidth: number, ink: Ink): string {
  const text = aligned(cellText(cell));
  const lead = text.length - text.trimStart().length;
  const body = text.trim();
  const marks = cellMarks(cell);
  const tail = ' '.repeat(Math.max(0, CELL_WIDTH - lead - body.length));
  const markText = marks.padEnd(markWidth);
  return `${' '.repeat(lead)}${paintRank(body, cell.rank, ink)}${tail}${rankMark(cell.rank, ink)}${marks === '' ? markText : ink.colors.yellow(markText)}`;
}

/** Marked ones bold. */
export function paintRank(text: string, rank: Rank, { colors }: Ink): string {
  return rank === 'best' ? colors.bold(colors.green(text)) : text;
}

/** Without colour one character, `*` or a blank. */
export function rankMark(rank: Rank, { color }: Ink): string {
  if (color) return '';
  return rank === 'best' ? '*' : ' ';
}

/** A macro average under the means of its column. */
export function consoleMacroCell(cell: MacroCell, markWidth: number, { color }: Ink): string {
  return aligned(macroText(cell)) + ' '.repeat(markWidth + (color ? 0 : 1));
}

/** Room for the marks of a column; 0 where no cell has one. */
export function markWidthOf(cells: readonly PaperCell[]): number {
  return Math.max(0, ...cells.map((cell) => cellMarks(cell).length));
}

/** A name from data: control characters removed, shortened. */
export function consoleName(id: string): string {
  return shortenName(plainText(id), MAX_NAME);
}

function aligned(text: string): string {
  const [mean = text] = text.split(' ');
  return (mean.padStart(MEAN_WIDTH) + text.slice(mean.length)).padEnd(CELL_WIDTH);
}
