import type { Fault } from '../errors/supportcal-error.js';
import type { Format, ReadOptions } from './format.js';
import { jsonFieldOffset } from './json/json-field-offset.js';
import { JsonFault, JsonReader } from './json/parse-json.js';
import type { FaultList } from './row/fault-list.js';
import { faultsBy, type Place } from './row/fault-places.js';
import { isRowObject, type RowBatches, type SourceFile, type SourceRow } from './row/source-row.js';
import { type LineBatch, readLines } from './text/read-lines.js';

/** A text whose first line is an object, as far as its beginning shows. */
export const JSON_LINE = /^\ufeff?\s*\{\s*"([^"\\]|\\.)*"\s*:/;

/** JSON Lines: one object on each line, blank lines allowed. */
export const jsonl = {
  name: 'jsonl',
  endings: ['jsonl', 'ndjson'],
  magic: JSON_LINE,
  hasColumns: false,
  holdsSplits: true,
  rows: { kind: 'text', read: readJsonl, placesOf },
} as const satisfies Format;

/** A line that only opens something is the start of one indented document, not a row. */
const OPENS_ONLY = /^\s*[[{]\s*$/;

/**
 * The rows of a file of JSON Lines. A broken line becomes a fault with its line and byte offset, and reading goes on,
 * so that all broken lines are reported together.
 */
async function* readJsonl(file: SourceFile, faults: FaultList, options: ReadOptions): RowBatches {
  let number = 0;
  for await (const batch of readLines(file)) {
    const rows: SourceRow[] = [];
    for (const [n, text] of batch.lines.entries()) {
      if (text.trim() === '') continue;
      number++;
      const place = { file: file.shown, line: batch.firstLine + n, number };
      try {
        const values = new JsonReader(text, options).readAll();
        if (isRowObject(values)) rows.push({ values, number, line: place.line });
        else faults.add({ ...place, message: `expected one JSON object on each line${arrayHint(text)}` });
      } catch (error) {
        if (!(error instanceof JsonFault)) throw error;
        const offset = byteOffset(batch, n, error.offset);
        const hint = !OPENS_ONLY.test(text) ? '' : text.includes('{') ? OBJECT_HINT : ARRAY_HINT;
        const message = `${error.message}, at byte offset ${offset}${hint}`;
        const fault = { ...place, column: error.offset + 1, message };
        if (hint === '') faults.add(fault);
        else return faults.addLast(fault);
      }
    }
    if (rows.length > 0) yield rows;
  }
}

const ARRAY_HINT = '; for one array of objects write `format: json`';

const OBJECT_HINT =
  '; for rows inside one object write `source: { path: ..., rows: data }` with the name of their list';

function arrayHint(text: string): string {
  return text.trimStart().startsWith('[') ? ARRAY_HINT : '';
}

/** Offset in the file of the byte with which a character of line n of a batch begins. */
function byteOffset({ lines, firstByte }: LineBatch, n: number, character: number): number {
  const before = lines.slice(0, n).reduce((sum, each) => sum + Buffer.byteLength(each) + 1, 0);
  return firstByte + before + Buffer.byteLength((lines[n] ?? '').slice(0, character));
}

async function* placesOf(faults: readonly Fault[], file: SourceFile): AsyncGenerator<readonly [Fault, Place]> {
  const waiting = faultsBy('line', faults);
  const last = Math.max(...waiting.keys());
  for await (const { lines, firstLine } of readLines(file)) {
    for (const [line, own] of waiting) {
      const text = lines[line - firstLine];
      if (text === undefined) continue;
      for (const fault of own) yield [fault, { line, column: columnOf(text, fault) }];
    }
    if (firstLine + lines.length > last) return;
  }
}

function columnOf(text: string, { field }: Fault): number {
  const start = text.length - text.trimStart().length;
  return (field === undefined ? start : jsonFieldOffset(text, start, field)) + 1;
}
