import { decodeInThread } from './decode-in-thread.js';
import type { Format, ReadOptions } from './format.js';
import type { FaultList } from './row/fault-list.js';
import type { RowBatches, SourceFile } from './row/source-row.js';

/** A file of rows and how it is read. */
export interface RowFile {
  readonly file: SourceFile;
  readonly format: Format;
  readonly options: ReadOptions;
}

/** The rows of one file: a text format is read here, a binary one in a thread. What cannot be read goes to `faults`. */
export function readRows({ file, format, options }: RowFile, faults: FaultList): RowBatches {
  return format.rows.kind === 'text' ? format.rows.read(file, faults, options) : decodeInThread(file, format.name);
}
