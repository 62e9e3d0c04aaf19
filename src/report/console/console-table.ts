import pc from 'picocolors';
import { accuracyText, footnotes, markNote, suspectMark } from '../table/cell-text.js';
import { differenceNote } from '../table/ece-difference.js';
import type { PaperTable } from '../table/paper-table.js';
import { zip } from '../table/zip.js';
import { plainText, wrapWords } from '../text/plain-text.js';
import { consoleCell, consoleMacroCell, consoleName, type Ink } from './console-cell.js';
import { compactTable } from './console-compact.js';
import { wideTable } from './console-wide.js';

export interface ConsoleOptions {
  readonly color: boolean;
  /** Columns of the terminal; Infinity when the output is no terminal. */
  readonly width: number;
  /** Without standard errors and differences. */
  readonly brief?: boolean;
}

/**
 * The table for a terminal, with title, legend and footnotes. Methods that cannot be told from the best are bold;
 * without colour they end in `*`. Where the width does not suffice, errors go below their means, then the methods into
 * several tables, and at last every target gets a block of lines. Text from data is stripped of control characters;
 * without colour the only control character is the line break.
 */
export function renderConsoleTable(table: PaperTable, { color, width, brief = false }: ConsoleOptions): string {
  const ink: Ink = { colors: pc.createColors(color), color, brief };
  const wide = wideTable(table, ink);
  const compact = wide.width <= width ? null : compactTable(table, width, ink);
  const body = wide.width <= width ? wide.text : (compact ?? narrowBlocks(table, ink));
  const splits = `mean${brief ? '' : ', SE'} over ${table.seeds} splits`;
  const seeds = table.seeds === 1 ? `one split${brief ? '' : ' (no standard error)'}` : splits;
  const title = `${ink.colors.bold(consoleName(table.dataset))}  ECE in pp, ${seeds}`;
  return `${[title, body, ...legend(table, width, ink, compact !== null)].join('\n')}\n`;
}

function narrowBlocks(table: PaperTable, ink: Ink): string {
  const labels = table.columns.map((column) => consoleName(column.label));
  const pad = Math.max(0, ...labels.map((label) => label.length));
  const line = (label: string, text: string) => `  ${label.padEnd(pad)}  ${text.trimEnd()}`;
  const blocks = table.rows.map((row) => [
    ink.colors.bold(`${consoleName(row.target)}${suspectMark(row)}`),
    `  accuracy ${accuracyText(row)}`,
    ...zip(labels, row.cells).map(([label, cell]) => line(label, consoleCell(cell, 0, ink))),
  ]);
  const macro = zip(labels, table.macro).map(([label, cell]) => line(label, consoleMacroCell(cell, 0, ink)));
  return [...blocks, [ink.colors.bold('Macro average'), ...macro]].flat().join('\n');
}

function legend(table: PaperTable, width: number, { colors, color, brief }: Ink, compact: boolean): string[] {
  const marks = color ? 'bold' : '*';
  const { apart, alike, untested } = table.told;
  const marked =
    brief && apart.length > 0 && alike.length + untested.length === 0
      ? `Marked (${marks}): cannot be told from the best label-free method of its row.`
      : markNote(table).replace('Marked alike:', `Marked alike (${marks}):`);
  const more = brief ? ' --wide adds standard errors and differences.' : '';
  return [
    `Lower is better. ${marked} Oracle TS is fitted on labels and does not compete.${more}`,
    `Accuracy in % on the evaluation split, ${compact ? 'with the gain over the own base in pp' : 'own base → post-trained (gain in pp)'}.`,
    ...[brief ? null : differenceNote(table), ...footnotes(table)].flatMap((line) =>
      line === null ? [] : [plainText(line)],
    ),
  ].flatMap((line) => wrapWords(line, width).map((part) => colors.dim(part)));
}
