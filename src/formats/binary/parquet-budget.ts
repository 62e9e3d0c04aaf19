import type { Compressors, FileMetaData } from 'hyparquet';
import { MOST_TABLE_BYTES as MOST_BYTES } from '../row/most-table-bytes.js';

/** Values that one row group may have in all columns together: an empty one takes memory, and no byte of the file. */
const MOST_VALUES = 2 ** 26;
/** A file of many groups may be larger than one group may, but not out of nothing: text is packed to a tenth or so. */
const MOST_RATIO = 64;

type Decoder = (input: Uint8Array, length: number) => Uint8Array;

/**
 * A few kilobytes of Parquet can claim any number of bytes and values. Refuses row groups that claim more than memory
 * should be asked for, and files whose groups claim that together out of few bytes, before anything is unpacked.
 *
 * @param fileBytes length of the file
 * @throws Error with the number of the row group
 */
export function refuseHugeGroups(
  { row_groups }: FileMetaData,
  fileBytes: number,
  limits = { MOST_BYTES, MOST_VALUES },
): void {
  const mostOfFile = Math.max(limits.MOST_BYTES, MOST_RATIO * fileBytes);
  let total = 0n;
  for (const [n, { num_rows, columns }] of row_groups.entries()) {
    const chunks = columns.flatMap(({ meta_data }) => (meta_data === undefined ? [] : [meta_data]));
    const sum = (numbers: readonly bigint[]) => numbers.reduce((total, each) => total + each, 0n);
    const bytes = sum(chunks.map((each) => each.total_uncompressed_size));
    const values = sum(chunks.map((each) => each.num_values));
    if (bytes > limits.MOST_BYTES) throw tooMuch(n, `${bytes} bytes`, limits.MOST_BYTES);
    if (values > limits.MOST_VALUES) throw tooMuch(n, `${values} values`, limits.MOST_VALUES);
    if (num_rows > limits.MOST_VALUES) throw tooMuch(n, `${num_rows} rows`, limits.MOST_VALUES);
    total += bytes;
    if (total > mostOfFile)
      throw new Error(
        `up to row group ${n + 1} its ${fileBytes} bytes unpack to ${total}, at most ${mostOfFile} are read; write fewer rows a file, or leave out columns that no field needs`,
      );
  }
}

/**
 * The decoders of one row group, which unpack no more than that together, whatever the metadata claims: the headers of
 * its pages say their own lengths.
 */
export function withBudget(decoders: Compressors, mostBytes = MOST_BYTES): Compressors {
  let left = mostBytes;
  const limited =
    (decode: Decoder): Decoder =>
    (input, length) => {
      left -= length;
      if (left < 0) throw new Error(`its pages unpack to more than ${mostBytes} bytes in one row group`);
      return decode(input, length);
    };
  return Object.fromEntries(Object.entries(decoders).map(([name, decode]) => [name, limited(decode)]));
}

function tooMuch(group: number, found: string, most: number): Error {
  return new Error(
    `row group ${group + 1} has ${found}, at most ${most} are read; write smaller row groups, or give Node a larger heap`,
  );
}
