import type { FaultList } from './fault-list.js';
import { JsonFault, JsonReader } from './parse-json.js';
import { readLines } from './read-lines.js';
import { isRowObject, type RowBatches, type SourceFile, type SourceRow } from './source-row.js';

/** How strictly the numbers of a JSON file are read; see JsonReader. */
export interface JsonOptions {
  readonly allowNonFinite?: boolean;
}

/**
 * JSON Lines: one object on each line, blank lines allowed. A broken line becomes a fault with its line and byte
 * offset, and reading goes on, so that all broken lines are reported together.
 */
export async function* readJsonl(file: SourceFile, faults: FaultList, options: JsonOptions = {}): RowBatches {
  let number = 0;
  for await (const batch of readLines(file)) {
    const rows: SourceRow[] = [];
    for (let n = 0; n < batch.lines.length; n++) {
      const text = batch.lines[n]!;
      if (text.trim() === '') continue;
      number++;
      const line = batch.firstLine + n;
      try {
        const values = new JsonReader(text, options).readAll();
        if (isRowObject(values)) rows.push({ values, number, line });
        else
          faults.add({
            file: file.shown,
            line,
            number,
            message: `expected one JSON object on each line${arrayHint(text)}`,
          });
      } catch (error) {
        if (!(error instanceof JsonFault)) throw error;
        const before = batch.lines.slice(0, n).reduce((sum, each) => sum + Buffer.byteLength(each) + 1, 0);
        const offset = batch.firstByte + before + Buffer.byteLength(text.slice(0, error.offset));
        const message = `${error.message}, at byte offset ${offset}${wholeFileHint(text)}`;
        faults.add({ file: file.shown, line, column: error.offset + 1, number, message });
        if (/^\s*[[{]\s*$/.test(text)) return;
      }
    }
    if (rows.length > 0) yield rows;
  }
}

function arrayHint(text: string): string {
  return text.trimStart().startsWith('[') ? '; for one array of objects write `format: json`' : '';
}

/** A first line that only opens something is the start of one indented document, not a row. */
function wholeFileHint(text: string): string {
  return /^\s*[[{]\s*$/.test(text) ? '; for one array of objects write `format: json`' : '';
}
