import { JsonReader } from '../formats/parse-json.js';

/**
 * Offset in a JSON text of the value that a field has in the object that begins at `start`; where the row lacks it, of
 * the innermost object or list on the way to it. The names of fields are those of `fieldOf`.
 */
export function jsonFieldOffset(text: string, start: number, field: string): number {
  const own = memberOffset(text, start, field);
  if (own !== null) return own;
  let at = start;
  for (const step of field.split('.')) {
    const next = memberOffset(text, at, step);
    if (next === null) break;
    at = next;
  }
  return at;
}

/** Where the value of a key begins in the object at `start`; null when there is no such key, or no object. */
function memberOffset(text: string, start: number, key: string): number | null {
  const reader = new JsonReader(text, { allowNonFinite: true });
  reader.position = start;
  if (!reader.accept('{')) return null;
  while (!reader.accept('}')) {
    reader.skipSpace();
    const name = reader.readValue(0);
    reader.accept(':');
    reader.skipSpace();
    if (name === key) return reader.position;
    reader.readValue(0);
    reader.accept(',');
  }
  return null;
}

/**
 * Offset of the n-th cell (0-based) of the csv record at the beginning of a text; undefined when the text ends before it
 * does, null when the record does.
 */
export function csvCellOffset(text: string, n: number, delimiter: string, quoted: boolean): number | null | undefined {
  let cell = 0;
  let at = 0;
  while (cell < n) {
    if (quoted && text[at] === '"') {
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
export function csvCells(text: string, delimiter: string, quoted: boolean): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    const next = csvCellOffset(text.slice(at), 1, delimiter, quoted);
    const end = typeof next === 'number' ? at + next - 1 : text.length;
    const cell = text.slice(at, end).replace(/\r$/, '');
    if (quoted && cell.startsWith('"') && closingQuote(cell, 1) === undefined) return undefined;
    cells.push(quoted && cell.startsWith('"') ? cell.slice(1, closingQuote(cell, 1)).replaceAll('""', '"') : cell);
    if (typeof next !== 'number') return cells;
    at = end + 1;
  }
}

function closingQuote(text: string, from: number): number | undefined {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at;
  return undefined;
}
