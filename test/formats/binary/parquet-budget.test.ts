import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { expect, it } from 'vitest';
import { refuseHugeGroups, withBudget } from '../../../src/formats/binary/parquet-budget.js';

const fixture = path.resolve(import.meta.dirname, '../../datasets/fixtures/rows-snappy.parquet');
const bytes = new Uint8Array(readFileSync(fixture));
const honest = () => parquetMetadata(bytes.buffer);
const refuse = (metadata: FileMetaData) => refuseHugeGroups(metadata, bytes.length);

/** The metadata of the fixture with a claim of its first column, or of its first row group, changed. */
function claiming(change: { bytes?: bigint; values?: bigint; rows?: bigint }): FileMetaData {
  const metadata = honest();
  const group = metadata.row_groups[0]!;
  const chunk = group.columns[0]!.meta_data!;
  if (change.bytes !== undefined) chunk.total_uncompressed_size = change.bytes;
  if (change.values !== undefined) chunk.num_values = change.values;
  if (change.rows !== undefined) group.num_rows = change.rows;
  return metadata;
}

it('takes what writers write, and refuses a row group that claims more than memory should be asked for', () => {
  expect(() => refuse(honest())).not.toThrow();
  expect(() => refuse(claiming({ bytes: 3_000_000_000n }))).toThrow(/row group 1 has 30\d+ bytes, at most/);
  expect(() => refuse(claiming({ values: 100_000_000n }))).toThrow(/100\d+ values, at most 67108864 are read/);
  expect(() => refuse(claiming({ rows: 2n ** 40n }))).toThrow(/1099511627776 rows/);
});

it('refuses a file whose groups claim more together than its bytes can be, however many groups that takes', () => {
  const metadata = honest();
  metadata.row_groups = Array.from({ length: 300 }, () => honest().row_groups[0]!);
  expect(() => refuse(metadata)).not.toThrow();
  const limits = { MOST_BYTES: 1_000, MOST_VALUES: 2 ** 26 };
  expect(() => refuseHugeGroups(metadata, 100, limits)).toThrow(
    /up to row group \d+ its \d+ bytes unpack to \d+, at most \d+ are read/,
  );
});

it('unpacks no more than the budget, whatever the metadata claims', () => {
  const { SNAPPY } = withBudget({ SNAPPY: (_, length) => new Uint8Array(length) }, 1000);
  expect(SNAPPY!(new Uint8Array(), 600)).toHaveLength(600);
  expect(SNAPPY!(new Uint8Array(), 400)).toHaveLength(400);
  expect(() => SNAPPY!(new Uint8Array(), 1)).toThrow(/more than 1000 bytes in one row group/);
});
