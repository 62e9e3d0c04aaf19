import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ColumnBatch } from '../../../src/formats/binary/column-batch.js';
import { readArrow } from '../../../src/formats/binary/read-arrow.js';
import { readParquet } from '../../../src/formats/binary/read-parquet.js';
import { decodeInThread } from '../../../src/formats/decode-in-thread.js';
import { type Ending, type FuzzTarget, WrongRow } from '../fuzz-case.js';
import { mutateBytes } from '../mutate-bytes.js';
import type { Random } from '../random.js';

/** Less than a run allows, since its answer is the same: the file is damaged. */
const LIMITS = { milliseconds: 1_000, mebibytes: 256 };
const FIXTURES = ['../../datasets/fixtures', '../../fixtures/tables'].map((folder) =>
  path.resolve(import.meta.dirname, folder),
);

/**
 * Arrow and Parquet have no checksum, so that a changed value is read as it stands. What can be told: rows that went
 * missing or came from nowhere, and that every case ends.
 */
export const arrowRows = tableTarget('Arrow rows', 'arrow', /\.(arrows?|feather)$/);
export const parquetRows = tableTarget('Parquet rows', 'parquet', /\.parquet$/);

function tableTarget(name: string, format: 'arrow' | 'parquet', ending: RegExp): FuzzTarget {
  const goods = FIXTURES.flatMap((folder) => readdirSync(folder).map((file) => path.join(folder, file)))
    .filter((file) => ending.test(file) && !path.basename(file).startsWith('constant'))
    .map((file) => readFileSync(file));
  const write = (random: Random, folder: string) => {
    const good = random.pick(goods);
    const file = path.join(folder, `table.${format}`);
    writeFileSync(file, mutateBytes(good, random));
    return { good, source: { path: file, shown: file } };
  };
  const judge = async (good: Buffer, folder: string, rows: readonly unknown[]): Promise<Ending> => {
    const file = path.join(folder, `good.${format}`);
    writeFileSync(file, good);
    const expected = await readAll(format, file);
    if (rows.length !== expected.length) throw new WrongRow(`${rows.length} rows of ${expected.length}`);
    return text(rows) === text(expected) ? 'accepted' : 'accepted, no checksum';
  };
  return {
    name,
    async run(random, folder) {
      const { good, source } = write(random, folder);
      return judge(good, folder, await readAll(format, source.path));
    },
    async replay(random, folder) {
      const { good, source } = write(random, folder);
      const rows: unknown[] = [];
      for await (const batch of decodeInThread(source, format, LIMITS)) rows.push(...batch.map(({ values }) => values));
      return judge(good, folder, rows);
    },
  };
}

const ignored = () => {};

async function readAll(format: 'arrow' | 'parquet', file: string): Promise<unknown[]> {
  const source = { path: file, shown: file };
  const batches: AsyncGenerator<ColumnBatch> =
    format === 'arrow' ? readArrow(source, ignored) : readParquet(source, ignored);
  const rows: unknown[] = [];
  for await (const { columns, cells, rowCount } of batches) {
    for (let n = 0; n < rowCount; n++)
      rows.push(Object.fromEntries(columns.map((column, c) => [column, cells[c]![n]])));
  }
  return rows;
}

function text(rows: readonly unknown[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
}
