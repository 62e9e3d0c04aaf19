import { SupportCalError } from '../../errors/supportcal-error.js';
import type { FaultList } from './fault-list.js';
import { JsonFault, JsonReader } from './parse-json.js';
import type { JsonOptions } from './read-jsonl.js';
import { firstInvalidByte, invalidUtf8, readChunks } from './read-lines.js';
import { isRowObject, type RowBatches, type SourceFile, type SourceRow } from './source-row.js';

/** An array must be held whole while it is read; a longer one belongs in JSON Lines, which stream. */
const MAX_JSON_BYTES = 256 * 1024 * 1024;

/** One JSON array of objects. Rows carry the line on which they begin. */
export async function* readJson(
  file: SourceFile,
  faults: FaultList,
  options: JsonOptions & { maxBytes?: number } = {},
): RowBatches {
  const text = await readWholeText(file, options.maxBytes ?? MAX_JSON_BYTES);
  const reader = new JsonReader(text, options);
  const rows: SourceRow[] = [];
  const position = lineCounter(text);
  try {
    if (!reader.accept('['))
      throw reader.fault('expected one array of objects (for one object a line: `format: jsonl`)');
    for (let number = 1; !reader.accept(']'); number++) {
      if (number > 1 && !reader.accept(',')) throw reader.fault('expected "," or "]"');
      reader.skipSpace();
      const { line, column } = position(reader.position);
      const values = reader.readValue(1);
      if (isRowObject(values)) rows.push({ values, number, line });
      else faults.add({ file: file.shown, line, column, row: `${number}`, number, message: 'expected an object' });
    }
    reader.skipSpace();
    if (reader.position < text.length)
      throw reader.fault('expected the end of the file (for one object a line: `format: jsonl`)');
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const offset = Buffer.byteLength(text.slice(0, error.offset));
    faults.add({ file: file.shown, ...position(error.offset), message: `${error.message}, at byte offset ${offset}` });
    return;
  }
  if (rows.length > 0) yield rows;
}

/** The text of a file without its byte order mark. */
export async function readWholeText(file: SourceFile, maxBytes = MAX_JSON_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readChunks(file)) {
    size += chunk.length;
    if (size > maxBytes) {
      const message = `a JSON array may have ${maxBytes} bytes, this one has more; write one object a line (JSON Lines)`;
      throw new SupportCalError('bad-input', { file: file.shown, line: 1, message });
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const bad = firstInvalidByte(bytes);
  if (bad >= 0) throw invalidUtf8(file, bytes, bad);
  return new TextDecoder().decode(bytes);
}

/** Line and column of ascending offsets, counting each line break once. */
export function lineCounter(text: string): (offset: number) => { line: number; column: number } {
  let [line, start] = [1, 0];
  return (offset) => {
    for (let at = text.indexOf('\n', start); at >= 0 && at < offset; at = text.indexOf('\n', start)) {
      line++;
      start = at + 1;
    }
    return { line, column: offset - start + 1 };
  };
}
