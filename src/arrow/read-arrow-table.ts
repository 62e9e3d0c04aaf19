import { type Column, CompressionType, type Field, setCompressionCodec, tableFromIPC } from '@uwdata/flechette';
import { SupportCalError } from '../errors/supportcal-error.js';
import { batchLengths, checkArrowColumn } from './check-arrow-columns.js';
import { checkForeignFraming, footerStartOf } from './check-arrow-framing.js';
import { decodeLz4Frame } from './decode-lz4-frame.js';
import { dictionariesFirst } from './dictionaries-first.js';
import { type PlainOptions, plainValue, unreadable } from './plain-value.js';

/** Random access to a table that another program wrote. */
export interface ArrowRows {
  readonly columns: readonly string[];
  readonly rowCount: number;
  /**
   * One cell as a plain value: null, boolean, number, string, bigint (64-bit integers, exact), Uint8Array, an array
   * (lists) or an object without prototype (structs, maps); dates are Date objects, times and decimals exact text.
   * undefined for a column that is not there.
   */
  value(column: string, row: number): unknown;
  /** Why the cells of a column cannot be read as what they mean; null for a column that can be read. */
  unreadable(column: string): string | null;
}

/**
 * Decoders that the caller brings; one of bodies gets one whole frame and the length to which it must unpack. LZ4 is
 * built in.
 */
export interface ArrowDecoders extends PlainOptions {
  readonly zstd?: (frame: Uint8Array, length: number) => Uint8Array;
  /** Bytes that the packed columns of a file may unpack to in all; default: any number. */
  readonly mostUnpacked?: number;
  /** Hears to how many bytes a frame is about to unpack, as far as it says so itself. */
  readonly unpacking?: (length: number) => void;
}

/**
 * Reads Arrow IPC bytes in the file (Feather 2) or the stream format.
 *
 * @param file path as the user wrote it, for messages
 * @throws SupportCalError bad-input: cut or foreign bytes, Feather 1, a codec without decoder, two columns of one name
 */
export function readArrowTable(bytes: Uint8Array, file: string, decoders: ArrowDecoders = {}): ArrowRows {
  const { rowCount, columns } = decodeTable(bytes, file, decoders);
  const names = columns.map(({ field }) => field.name);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined) throw refuse(file, `two columns are called "${twice}"; rename one of them`);
  const byName = new Map(columns.map((each) => [each.field.name, each] as const));
  return {
    columns: names,
    rowCount,
    unreadable: (column) => byName.get(column)?.unreadable ?? null,
    value(column, row) {
      const found = byName.get(column);
      if (found === undefined) return undefined;
      try {
        return plainValue(found.column.at(row), found.field, decoders);
      } catch (cause) {
        // A damaged schema can promise another type than the buffers hold.
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw refuse(file, `the column "${column}" cannot be read at row ${row + 1}: ${reason}`, cause);
      }
    },
  };
}

interface ReadColumn {
  readonly field: Field;
  readonly column: Column<unknown>;
  readonly unreadable: string | null;
}

interface ReadTable {
  readonly rowCount: number;
  readonly columns: readonly ReadColumn[];
}

/** Integers as they are: moments in their unit, decimals without their point. */
const EXACT = { useBigInt: true, useBigIntTimestamp: true, useDecimalInt: true } as const;

function decodeTable(bytes: Uint8Array, file: string, decoders: ArrowDecoders): ReadTable {
  try {
    const framing = checkForeignFraming(bytes, decoders.mostUnpacked);
    if (framing.codec !== null) registerDecoder(framing.codec, decoders);
    const footerStart = footerStartOf(bytes);
    const ordered = footerStart === null ? bytes : dictionariesFirst(bytes, footerStart);
    const { schema, children } = tableFromIPC(aligned(ordered), EXACT);
    if (schema.endianness !== 0)
      throw new Error('its numbers are big-endian; write it again on a little-endian machine');
    const columns = schema.fields.map((field, n): ReadColumn => {
      const column = children[n];
      if (column === undefined) throw new Error(`the column "${field.name}" is missing`);
      checkRows(column, framing);
      checkArrowColumn(column);
      return { field, column, unreadable: unreadable(field.type) };
    });
    return { rowCount: framing.rowCount, columns };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refuse(file, `cannot be read as Arrow: ${reasonOf(reason)}`, cause);
  }
}

/** The decoder's words for a type that it does not know, which the type of no other column makes good. */
function reasonOf(reason: string): string {
  if (/must be positive/.test(reason)) return 'a column has decimals of a negative scale; write it as text or float';
  const bits = /^(\d+) must be one of 8,16,32,64$/.exec(reason)?.[1];
  if (bits !== undefined)
    return `a column has whole numbers of ${bits} bits, which Arrow does not have; write it as text or decimal`;
  return /type/i.test(reason) && /nrecognized|nsupported/.test(reason)
    ? `${reason}; write the column with another type, such as list or string`
    : reason;
}

/** The batches of a column have as many rows as the messages say. */
function checkRows(column: Column<unknown>, { rowCounts }: { readonly rowCounts: readonly number[] }): void {
  const lengths = batchLengths(column);
  const wrong = rowCounts.findIndex((rows, n) => lengths[n] !== rows);
  if (wrong >= 0 || lengths.length !== rowCounts.length)
    throw new Error(`a batch says that it has ${rowCounts[wrong]} rows, one of its columns has ${lengths[wrong]}`);
}

const TYPE_OF = { lz4: CompressionType.LZ4_FRAME, zstd: CompressionType.ZSTD } as const;

function registerDecoder(codec: 'lz4' | 'zstd', decoders: ArrowDecoders): void {
  const decode = codec === 'lz4' ? decodeLz4Frame : decoders.zstd;
  if (decode === undefined) {
    throw new Error(`its bodies are compressed with ${codec}; write the file again without compression`);
  }
  setCompressionCodec(TYPE_OF[codec], {
    encode: () => {
      throw new Error('nothing is written with this codec');
    },
    decode: (frame, length = 0) => {
      decoders.unpacking?.(length);
      const decoded = decode(frame, length);
      if (decoded.length !== length) throw new Error('a column unpacks to another length than it says');
      return aligned(decoded);
    },
  });
}

/** The decoder lays 64-bit views over the bytes, which must then begin at a multiple of 8. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : Uint8Array.from(bytes);
}

function refuse(file: string, message: string, cause?: unknown): SupportCalError {
  return new SupportCalError('bad-input', { file, message }, { cause });
}
