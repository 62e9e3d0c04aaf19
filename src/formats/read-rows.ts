import { SupportCalError } from '../errors/supportcal-error.js';
import { decodeInThread } from './decode-in-thread.js';
import type { Format, ReadOptions } from './format.js';
import type { FaultList } from './row/fault-list.js';
import type { RowBatches, SourceFile } from './row/source-row.js';
import { firstBytes } from './text/first-bytes.js';
import { foreignContent } from './text/foreign-content.js';

/** A file of rows and how it is read. */
export interface RowFile {
  readonly file: SourceFile;
  readonly format: Format;
  readonly options: ReadOptions;
}

/**
 * The rows of one file: a text format is read here, a binary one in a thread. What cannot be read goes to `faults`.
 *
 * @throws SupportCalError bad-input also where the first bytes are those of something else, by its name
 */
export async function* readRows({ file, format, options }: RowFile, faults: FaultList): RowBatches {
  const foreign = foreignContent(await firstBytes(file), kindOf(format));
  if (foreign !== null) throw new SupportCalError('bad-input', { file: file.shown, message: foreign });
  yield* format.rows.kind === 'text' ? format.rows.read(file, faults, options) : decodeInThread(file, format.name);
}

function kindOf({ name, rows }: Format): Parameters<typeof foreignContent>[1] {
  if (rows.kind === 'binary') return name === 'parquet' ? 'parquet' : 'arrow';
  return name === 'zipped-json' ? 'zip' : name === 'text' ? 'text' : 'rows';
}
