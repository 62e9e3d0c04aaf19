import type pc from 'picocolors';
import { cellMarks, cellText } from '../table/cell-text.js';
import type { MacroCell, PaperCell, Rank } from '../table/paper-table.js';
import { formatFixed } from '../text/format-number.js';
import { plainText, shortenName } from '../text/plain-text.js';

/** How cells are painted: picocolors' functions, and whether they do anything. */
export interface Ink {
  readonly colors: ReturnType<typeof pc.createColors>;
  readonly color: boolean;
  /** Means alone, with one digit behind the point: about what stays the same on another machine. */
  readonly brief: boolean;
}

const WIDTHS = { full: { mean: 'nn.nn'.length, cell: 'nn.nn ± n.nn'.length }, brief: { mean: 4, cell: 4 } };
const MAX_NAME = 40;

/** One ECE, means under each other; marked ones bold, with `*` without colour; then the marks of footnotes. */
export function consoleCell(cell: PaperCell, markWidth: number, ink: Ink): string {
  const text = aligned(ink.brief ? meanText(cell, ink) : cellText(cell), ink);
  const lead = text.length - text.trimStart().length;
  const body = text.trim();
  const marks = cellMarks(cell);
  const tail = ' '.repeat(Math.max(0, widths(ink).cell - lead - body.length));
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
export function consoleMacroCell(cell: MacroCell, markWidth: number, ink: Ink): string {
  return aligned(meanText(cell, ink), ink) + ' '.repeat(markWidth + (ink.color ? 0 : 1));
}

/** A mean with as many digits as the table shows. */
export function meanText({ meanPp }: Pick<MacroCell, 'meanPp'>, { brief }: Ink): string {
  return formatFixed(meanPp, brief ? 1 : 2);
}

/** Room for the marks of a column; 0 where no cell has one. */
export function markWidthOf(cells: readonly PaperCell[]): number {
  return Math.max(0, ...cells.map((cell) => cellMarks(cell).length));
}

/** A name from data: control characters removed, shortened. */
export function consoleName(id: string): string {
  return shortenName(plainText(id), MAX_NAME);
}

const widths = ({ brief }: Ink) => (brief ? WIDTHS.brief : WIDTHS.full);

function aligned(text: string, ink: Ink): string {
  const [mean = text] = text.split(' ');
  const { mean: meanWidth, cell } = widths(ink);
  return (mean.padStart(meanWidth) + text.slice(mean.length)).padEnd(cell);
}
