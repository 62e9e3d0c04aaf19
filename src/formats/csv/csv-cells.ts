import type { CsvSettings } from './csv-faults.js';

type Cells = Pick<CsvSettings, 'delimiter' | 'quote'>;

/**
 * Offset of the n-th cell (0-based) of the csv record at the beginning of a text; undefined when the text ends before
 * it does, null when the record does.
 */
export function csvCellOffset(text: string, n: number, { delimiter, quote }: Cells): number | null | undefined {
  let cell = 0;
  let at = 0;
  while (cell < n) {
    if (quote !== 'none' && text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end === undefined) return undefined;
      at = end + 1;
    }
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
    if (at >= text.length) return undefined;
    if (text[at] === '\n') return null;
    at++;
    cell++;
  }
  return at;
}

/** The cells of the csv record that a text is; undefined when the text ends before it does. */
export function csvCells(text: string, how: Cells): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    const next = csvCellOffset(text.slice(at), 1, how);
    const end = typeof next === 'number' ? at + next - 1 : text.length;
    const cell = text.slice(at, end).replace(/\r$/, '');
    const isQuoted = how.quote !== 'none' && cell.startsWith('"');
    const close = isQuoted ? closingQuote(cell, 1) : undefined;
    if (isQuoted && close === undefined) return undefined;
    cells.push(isQuoted ? cell.slice(1, close).replaceAll('""', '"') : cell);
    if (typeof next !== 'number') return cells;
    at = end + 1;
  }
}

function closingQuote(text: string, from: number): number | undefined {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at;
  return undefined;
}
