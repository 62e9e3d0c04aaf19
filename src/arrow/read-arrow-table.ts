import { CompressionType, compressionRegistry, type Table } from 'apache-arrow';
import { SupportCalError } from '../errors/supportcal-error.js';
import { checkArrowData } from './check-arrow-data.js';
import { checkArrowFraming } from './check-arrow-framing.js';
import { decodeLz4Frame } from './decode-lz4-frame.js';
import { openArrowTable } from './open-arrow-table.js';
import { plainValue } from './plain-value.js';

/** Random access to a table that another program wrote. */
export interface ArrowRows {
  readonly columns: readonly string[];
  readonly rowCount: number;
  /**
   * One cell as a plain value: null, boolean, number, string, bigint (64-bit integers, exact), Uint8Array, an array
   * (lists) or an object without prototype (structs, maps). undefined for a column that is not there.
   */
  value(column: string, row: number): unknown;
}

/** Decoders of compressed bodies that the caller brings; each gets one whole frame. LZ4 is built in. */
export interface ArrowDecoders {
  readonly zstd?: (frame: Uint8Array) => Uint8Array;
}

/**
 * Reads Arrow IPC bytes in the file (Feather 2) or the stream format.
 *
 * @param file path as the user wrote it, for messages
 * @throws SupportCalError bad-input: cut or foreign bytes, Feather 1, a codec without decoder, two columns of one name
 */
export function readArrowTable(bytes: Uint8Array, file: string, decoders: ArrowDecoders = {}): ArrowRows {
  const table = decodeTable(bytes, file, decoders);
  const columns = table.schema.fields.map((field) => field.name);
  const twice = columns.find((name, n) => columns.indexOf(name) !== n);
  if (twice !== undefined) throw refuse(file, `two columns are called "${twice}"; rename one of them`);
  const vectors = new Map(columns.map((name, n) => [name, table.getChildAt(n)] as const));
  const types = new Map(table.schema.fields.map((field) => [field.name, field.type] as const));
  return {
    columns,
    rowCount: table.numRows,
    value(column, row) {
      const vector = vectors.get(column);
      try {
        return vector === undefined ? undefined : plainValue(vector?.get(row), types.get(column)!);
      } catch (cause) {
        // A damaged schema can promise another type than the buffers hold.
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw refuse(file, `the column "${column}" cannot be read at row ${row + 1}: ${reason}`, cause);
      }
    },
  };
}

function decodeTable(bytes: Uint8Array, file: string, decoders: ArrowDecoders): Table {
  try {
    const framing = checkArrowFraming(bytes);
    if (framing.codec !== null) registerDecoder(framing.codec, decoders);
    const table = openArrowTable(aligned(bytes), framing);
    checkArrowData(table);
    return table;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = /^Unrecognized type/.test(reason)
      ? '; write the column with another type, such as list or string'
      : '';
    throw refuse(file, `cannot be read as Arrow: ${reason}${advice}`, cause);
  }
}

function registerDecoder(codec: 'lz4' | 'zstd', decoders: ArrowDecoders): void {
  const decode = codec === 'lz4' ? decodeLz4Frame : decoders.zstd;
  if (decode === undefined) {
    throw new Error(`its bodies are compressed with ${codec}; write the file again without compression`);
  }
  const type = codec === 'lz4' ? CompressionType.LZ4_FRAME : CompressionType.ZSTD;
  compressionRegistry.set(type, { decode: (frame) => aligned(decode(frame)) });
}

/** apache-arrow lays 64-bit views over the bytes, which must then begin at a multiple of 8. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : Uint8Array.from(bytes);
}

function refuse(file: string, message: string, cause?: unknown): SupportCalError {
  return new SupportCalError('bad-input', { file, message }, { cause });
}
