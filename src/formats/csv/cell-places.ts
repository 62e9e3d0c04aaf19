import type { Fault } from '../../errors/supportcal-error.js';
import { faultsBy, type Place } from '../row/fault-places.js';
import type { SourceFile } from '../row/source-row.js';
import { lineCounter } from '../text/line-counter.js';
import { readLines } from '../text/read-lines.js';
import { csvCellOffset, csvCells } from './csv-cells.js';
import type { CsvSettings } from './csv-faults.js';

/** A record that has not ended after so many characters is given up. */
const MOST_CHARACTERS = 2 ** 20;

/** A fault whose cell lies further on, and the text of its record as far as it is read. */
interface OpenRecord {
  readonly fault: Fault;
  readonly line: number;
  text: string;
}

/** Line and column of the cell that each fault is about. */
export async function* cellPlaces(
  faults: readonly Fault[],
  file: SourceFile,
  csv: CsvSettings,
): AsyncGenerator<readonly [Fault, Place]> {
  const waiting = faultsBy('line', faults);
  const last = Math.max(...waiting.keys());
  const open = new Set<OpenRecord>();
  let { header } = csv;
  let head = '';
  for await (const { lines, firstLine } of readLines(file)) {
    for (const [n, text] of lines.entries()) {
      const line = firstLine + n;
      if (header === undefined) {
        // The header may have line breaks in its names, and empty lines before it.
        head += head === '' ? text.replace(/^\r$/, '') : `\n${text}`;
        header = head === '' ? undefined : csvCells(head, csv);
        continue;
      }
      for (const each of open) each.text += `\n${text}`;
      for (const fault of waiting.get(line) ?? []) open.add({ fault, line, text });
      for (const each of open) {
        const place = cellPlace(each, header, csv);
        if (place === undefined && each.text.length < MOST_CHARACTERS) continue;
        if (place) yield [each.fault, place];
        open.delete(each);
      }
      if (line >= last && open.size === 0) return;
    }
  }
}

/** The answer undefined says that the record goes on in the next line, null that it has no such cell. */
function cellPlace(
  { fault, line: first, text }: OpenRecord,
  header: readonly string[] | 'numbered',
  csv: CsvSettings,
): Place | null | undefined {
  const field = fault.field ?? '';
  const n = header === 'numbered' ? Number(/^column(\d+)$/.exec(field)?.[1] ?? 0) - 1 : header.indexOf(field);
  if (n < 0) return null;
  const offset = csvCellOffset(text, n, csv);
  if (typeof offset !== 'number') return offset;
  const { line, column } = lineCounter(text)(offset);
  return { line: first + line - 1, column };
}
