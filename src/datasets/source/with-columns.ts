import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import type { CsvSettings } from '../formats/csv-faults.js';
import { JsonFault, JsonReader } from '../formats/parse-json.js';
import { lineCounter, readWholeText } from '../formats/read-json.js';
import { readLines } from '../formats/read-lines.js';
import type { SourceFormat } from '../formats/source-format.js';
import type { SourceFile } from '../formats/source-row.js';
import { csvCellOffset, csvCells, jsonFieldOffset } from './field-position.js';

/** A file of rows and how it is read. */
export interface TextSource {
  readonly file: SourceFile;
  readonly format: SourceFormat;
  readonly csv: CsvSettings;
}

/**
 * Faults of rows with line and column of the value that each is about, which is looked up in the file again: nothing has
 * to be kept while rows are read for a case that mostly does not come up. Columns count UTF-16 units from 1; a fault of a
 * whole row, or of a field that it lacks, has the place where the row begins. Binary tables have no lines: their faults
 * keep the number of the row.
 */
export async function withColumns(faults: readonly Fault[], sources: readonly TextSource[]): Promise<Fault[]> {
  const placed = new Map<Fault, Place>();
  for (const source of sources) {
    const own = faults.filter(({ file, line, column }) => file === source.file.shown && line !== undefined && !column);
    if (own.length === 0) continue;
    try {
      if (source.format === 'json') await placeInArray(own, source.file, placed);
      else if (source.format === 'jsonl') await placeInLines(own, source.file, placed);
      else if (source.format === 'csv' || source.format === 'tsv') await placeInRecords(own, source, placed);
    } catch (error) {
      // The file has changed or cannot be read a second time: the lines stand.
      if (!(error instanceof SupportCalError || error instanceof JsonFault)) throw error;
    }
  }
  return faults.map((fault) =>
    fault.line === undefined || fault.column !== undefined
      ? fault
      : { ...fault, ...(placed.get(fault) ?? { column: 1 }) },
  );
}

interface Place {
  readonly line: number;
  readonly column: number;
}

async function placeInArray(faults: readonly Fault[], file: SourceFile, placed: Map<Fault, Place>): Promise<void> {
  const text = await readWholeText(file);
  const reader = new JsonReader(text, { allowNonFinite: true });
  const position = lineCounter(text);
  const waiting = groupedBy(faults, ({ number }) => number ?? 0);
  const last = Math.max(...waiting.keys());
  reader.accept('[');
  for (let number = 1; number <= last; number++) {
    reader.skipSpace();
    const start = reader.position;
    const offsets = (waiting.get(number) ?? []).map((fault) => {
      return { fault, offset: fault.field === undefined ? start : jsonFieldOffset(text, start, fault.field) };
    });
    offsets.sort((a, b) => a.offset - b.offset);
    for (const { fault, offset } of offsets) placed.set(fault, position(offset));
    reader.readValue(1);
    reader.accept(',');
  }
}

async function placeInLines(faults: readonly Fault[], file: SourceFile, placed: Map<Fault, Place>): Promise<void> {
  const waiting = groupedBy(faults, ({ line }) => line!);
  const last = Math.max(...waiting.keys());
  for await (const { lines, firstLine } of readLines(file)) {
    for (const [line, own] of waiting) {
      const text = lines[line - firstLine];
      if (text === undefined) continue;
      for (const fault of own) placed.set(fault, { line, column: columnInJson(text, fault) });
    }
    if (firstLine + lines.length > last) return;
  }
}

async function placeInRecords(
  faults: readonly Fault[],
  { file, csv }: TextSource,
  placed: Map<Fault, Place>,
): Promise<void> {
  const waiting = groupedBy(faults, ({ line }) => line!);
  const last = Math.max(...waiting.keys());
  const open: { fault: Fault; text: string }[] = [];
  let { header } = csv;
  let head = '';
  for await (const { lines, firstLine } of readLines(file)) {
    for (const [n, text] of lines.entries()) {
      const line = firstLine + n;
      if (header === undefined) {
        // The header may have line breaks in its names, and empty lines before it.
        head += head === '' ? text.replace(/^\r$/, '') : `\n${text}`;
        header = head === '' ? undefined : csvCells(head, csv.delimiter, csv.quote !== 'none');
        continue;
      }
      for (const each of open) each.text += `\n${text}`;
      for (const fault of waiting.get(line) ?? []) open.push({ fault, text });
      for (const each of [...open]) {
        const place = placeInRecord(each, header, csv);
        if (place === undefined && each.text.length < MOST_CHARACTERS) continue;
        if (place) placed.set(each.fault, place);
        open.splice(open.indexOf(each), 1);
      }
      if (line >= last && open.length === 0) return;
    }
  }
}

function groupedBy(faults: readonly Fault[], keyOf: (fault: Fault) => number): Map<number, Fault[]> {
  const groups = new Map<number, Fault[]>();
  for (const fault of faults) {
    const group = groups.get(keyOf(fault));
    if (group) group.push(fault);
    else groups.set(keyOf(fault), [fault]);
  }
  return groups;
}

const MOST_CHARACTERS = 2 ** 20;

function columnInJson(text: string, { field }: Fault): number {
  const start = text.length - text.trimStart().length;
  return (field === undefined ? start : jsonFieldOffset(text, start, field)) + 1;
}

/** undefined: the record goes on in the next line; null: it has no such cell. */
function placeInRecord(
  { fault, text }: { readonly fault: Fault; readonly text: string },
  header: readonly string[] | 'numbered',
  { delimiter, quote }: CsvSettings,
): Place | null | undefined {
  const field = fault.field ?? '';
  const n = header === 'numbered' ? Number(/^column(\d+)$/.exec(field)?.[1] ?? 0) - 1 : header.indexOf(field);
  if (n < 0) return null;
  const offset = csvCellOffset(text, n, delimiter, quote !== 'none');
  if (typeof offset !== 'number') return offset;
  const { line, column } = lineCounter(text)(offset);
  return { line: fault.line! + line - 1, column };
}
