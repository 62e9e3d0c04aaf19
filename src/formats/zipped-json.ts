import type { Format, ReadOptions } from './format.js';
import { JsonFault, JsonReader } from './json/parse-json.js';
import type { FaultList } from './row/fault-list.js';
import { isRowObject, type RowBatches, type SourceFile } from './row/source-row.js';
import { firstInvalidByte } from './text/read-lines.js';

/**
 * A zip archive of JSON files, each of which is a row; logs of other harnesses come like that, data sets do not. What
 * unpacks it is loaded when a file is read.
 */
export const zippedJson = {
  name: 'zipped-json',
  endings: ['eval'],
  hasColumns: false,
  holdsSplits: false,
  rows: { kind: 'text', read: readZipped },
} as const satisfies Format;

/** `rows` names the folder of the archive that has the rows. They have no lines, but the number of their file. */
async function* readZipped(file: SourceFile, faults: FaultList, { rows: folder, ...options }: ReadOptions): RowBatches {
  const wanted = (name: string) => name.endsWith('.json') && (folder === undefined || name.startsWith(`${folder}/`));
  let number = 0;
  const { zipEntries } = await import('./binary/zip-entries.js');
  for await (const { name, bytes } of zipEntries(file, wanted)) {
    number++;
    const at = { file: `${file.shown}#${name}`, row: `${number}`, number };
    try {
      if (firstInvalidByte(bytes) >= 0) throw new JsonFault('expected UTF-8', 0);
      const values = new JsonReader(new TextDecoder().decode(bytes), options).readAll();
      if (isRowObject(values)) yield [{ values, number, line: undefined }];
      else faults.add({ ...at, message: 'expected an object' });
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      faults.add({ ...at, message: error.message });
    }
  }
}
