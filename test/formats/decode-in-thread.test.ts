import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeInThread } from '../../src/formats/decode-in-thread.js';
import type { SourceRow } from '../../src/formats/row/source-row.js';
import { refusal, temporaryFolder } from '../datasets/temporary-spec.js';

const folder = temporaryFolder();
const fixture = (name: string) => {
  const file = path.join(import.meta.dirname, '..', 'datasets', 'fixtures', name);
  return { path: file, shown: name };
};

async function all(batches: AsyncIterable<readonly SourceRow[]>): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

describe('decodeInThread', () => {
  it('hands over rows with exact integers, lists, nulls and their numbers', async () => {
    const rows = await all(decodeInThread(fixture('rows-snappy.parquet'), 'parquet'));
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(rows[0]!.values).toEqual({
      key: 9007199254740993n,
      q: '2 + 2?',
      choices: ['3', '4'],
      answer: 2,
      note: null,
    });
  });

  it('refuses a file that takes longer than its limit, by name', async () => {
    const limits = { milliseconds: -1_000, mebibytes: 1_024 };
    expect(await refusal(all(decodeInThread(fixture('rows-zstd.parquet'), 'parquet', limits)))).toEqual([
      'bad-input rows-zstd.parquet - -: cannot be decoded in -1.0 s of work; it is most likely damaged',
    ]);
  });

  it.each([
    ['constant.parquet', 'parquet'],
    ['constant.arrow', 'arrow'],
  ])('gives %s, many rows in few bytes, the time of its rows and not of its bytes', async (name, format) => {
    const file = path.join(import.meta.dirname, '..', 'fixtures', 'tables', name);
    expect(statSync(file).size).toBeLessThan(60_000);
    let rows = 0;
    const limits = { milliseconds: 50, mebibytes: 1_024 };
    for await (const batch of decodeInThread({ path: file, shown: name }, format, limits)) rows += batch.length;
    expect(rows).toBe(200_000);
  });

  it('refuses a file that is none, cut or missing, by name', async () => {
    const file = folder.write('cut.parquet', 'PAR1 and then nothing PAR1');
    const [message] = await refusal(all(decodeInThread({ path: file, shown: 'cut.parquet' }, 'parquet')));
    expect(message).toMatch(/^bad-input cut.parquet - -: cannot be read as Parquet: /);
    const [gone] = await refusal(all(decodeInThread({ path: '/nowhere/a.arrow', shown: 'a.arrow' }, 'arrow')));
    expect(gone).toMatch(/^missing-file a.arrow - -: no such file/);
  });

  it('survives columns that fail where nobody waits for them, and names the file', async () => {
    const bytes = readFileSync(fixture('rows-zstd.parquet').path);
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
    let frames = 0;
    for (let at = bytes.indexOf(frame); at >= 0; at = bytes.indexOf(frame, at + 1), frames++) bytes[at] = 0;
    expect(frames).toBeGreaterThan(1);
    const file = folder.write('frames.parquet', bytes);
    const [message] = await refusal(all(decodeInThread({ path: file, shown: 'frames.parquet' }, 'parquet')));
    expect(message).toMatch(/^bad-input frames.parquet - -: cannot be (read as Parquet|decoded): .*zstd/);
  });

  it('ends its thread when the reader stops early', async () => {
    for await (const batch of decodeInThread(fixture('rows-none.parquet'), 'parquet')) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
  });
});
