import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decompressZstd } from 'hyparquet-compressors';
import { describe, expect, it } from 'vitest';
import { encodeArrowFile } from '../../src/arrow/encode-arrow-file.js';
import { readArrowTable } from '../../src/arrow/read-arrow-table.js';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'arrow');
const NAMES = ['plain.arrow', 'plain.arrows', 'lz4.arrow', 'lz4.arrows', 'zstd.arrow', 'zstd.arrows'];
const decoders = { zstd: (frame: Uint8Array) => decompressZstd(frame) };
const fixture = (name: string): Buffer => readFileSync(join(FIXTURES, name));

describe('readArrowTable', () => {
  it.each(NAMES)('reads %s of another writer, 64-bit ids and nested values exact', (name) => {
    const table = readArrowTable(fixture(name), name, decoders);
    const column = (field: string) => [0, 1, 2].map((row) => table.value(field, row));
    expect(table.rowCount).toBe(3);
    expect(table.columns).toEqual(['id', 'text', 'options', 'nested', 'decimal', 'category', 'view', 'large', 'flag']);
    expect(column('id')).toEqual([9007199254740993n, 9007199254740992n, null]);
    expect(column('text')).toEqual(['a', 'ü'.repeat(40), null]);
    expect(column('options')).toEqual([['x', 'y'], [], null]);
    expect(column('nested')).toEqual([{ a: 1n, b: ['q'] }, { a: null, b: null }, null]);
    expect(column('decimal')).toEqual(['1.20', '-0.05', null]);
    expect(column('category')).toEqual(['u', 'v', 'u']);
    expect(column('view')).toEqual(['short', 'long '.repeat(10), null]);
    expect(column('large')).toEqual(['short', 'long '.repeat(10), null]);
    expect(column('flag')).toEqual([true, false, null]);
    expect(column('other')).toEqual([undefined, undefined, undefined]);
  });

  it('refuses whole numbers of 128 bits, which Polars writes, by their name', () => {
    const bytes = Buffer.from(fixture('plain.arrows'));
    // The width of the only whole numbers of 64 bits, in the schema that begins the stream.
    const at = bytes.indexOf(Buffer.from([64, 0, 0, 0]));
    expect(bytes[at]).toBe(64);
    bytes[at] = 128;
    expect(() => readArrowTable(bytes, 'wide.arrows')).toThrow(/whole numbers of 128 bits, .*; write it as text or/);
  });

  it.each(NAMES.slice(2))('refuses %s before it unpacks where its columns claim more bytes than are read', (name) => {
    const bytes = Buffer.from(fixture(name));
    const unpacked = () => expect.fail('something was unpacked');
    const read = (mostUnpacked: number) =>
      readArrowTable(bytes, name, { zstd: unpacked, unpacking: unpacked, mostUnpacked });
    expect(() => read(200)).toThrow(/with record batch [12] its columns unpack to more than 0 MiB in all/);
    // The lengths in front of all columns but one are honest.
    const magic = name.startsWith('lz4') ? [0x04, 0x22, 0x4d, 0x18] : [0x28, 0xb5, 0x2f, 0xfd];
    bytes.writeBigInt64LE(2n ** 31n, bytes.lastIndexOf(Buffer.from(magic)) - 8);
    expect(() => read(2 ** 30)).toThrow(/unpack to more than 1024 MiB in all, .*; write fewer rows a file/);
    bytes.writeBigInt64LE(-2n, bytes.lastIndexOf(Buffer.from(magic)) - 8);
    expect(() => read(2 ** 30)).toThrow(/negative length/);
  });

  it.each(NAMES)('refuses every cut of %s instead of reading fewer rows', (name) => {
    const bytes = fixture(name);
    for (let length = 0; length < bytes.length; length++) {
      let outcome: unknown = 'read';
      try {
        readArrowTable(bytes.subarray(0, length), name, decoders);
      } catch (error) {
        outcome = error;
      }
      expect(outcome, `cut to ${length} bytes`).toMatchObject({ code: 'bad-input', file: name });
    }
  });

  it.each(NAMES)('never reads fewer rows of %s because a count in it was changed', (name) => {
    const bytes = fixture(name);
    let refused = 0;
    for (let at = 0; at + 8 <= bytes.length; at += 4) {
      if (bytes.readBigInt64LE(at) !== 3n) continue;
      const changed = Buffer.from(bytes);
      changed.writeBigInt64LE(1n, at);
      let rows = 3;
      try {
        rows = readArrowTable(changed, name, decoders).rowCount;
      } catch (error) {
        expect(error).toMatchObject({ code: 'bad-input' });
        refused++;
      }
      expect(rows, `at byte ${at}`).toBe(3);
    }
    expect(refused).toBeGreaterThan(0);
  });

  it.each(NAMES)('refuses %s with an end mark before its last batch', (name) => {
    const bytes = fixture(name);
    const marks = [...bytes.keys()].filter(
      (at) => at % 8 === 0 && at + 8 <= bytes.length && bytes.readInt32LE(at) === -1 && bytes.readInt32LE(at + 4) > 0,
    );
    expect(marks.length).toBeGreaterThan(1);
    for (const at of marks.slice(1)) {
      const early = Buffer.from(bytes).fill(0, at, at + 8);
      expect(() => readArrowTable(early, name, decoders), `at byte ${at}`).toThrow(
        /bytes follow its end-of-stream mark|footer names a block in which no message is/,
      );
    }
  });

  it('refuses a stream behind a stream, the rows of which would be lost', () => {
    const twice = Buffer.concat([fixture('plain.arrows'), fixture('plain.arrows')]);
    expect(() => readArrowTable(twice, 't.arrows')).toThrow(
      /t.arrows: cannot be read as Arrow: \d+ bytes follow its end-of-stream mark; write its rows as one stream/,
    );
  });

  it('names the codec of a body that it cannot decode', () => {
    expect(() => readArrowTable(fixture('zstd.arrow'), 'z.arrow')).toThrow(
      'z.arrow: cannot be read as Arrow: its bodies are compressed with zstd; write the file again without compression',
    );
  });

  it.each([
    ['the first Feather version', Buffer.from('FEA1........FEA1'), 'old first version of Feather'],
    ['text', Buffer.from('{"id": "q1", "logits": [1, 2]}\n'), 'not Arrow data'],
    [
      'a huge length in the first message',
      Buffer.from([255, 255, 255, 255, 255, 255, 255, 127, 0, 0, 0, 0]),
      'not Arrow',
    ],
    ['a Parquet file', Buffer.from('PAR1\0\0\0\0\0\0\0\0PAR1'), 'not Arrow data'],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => readArrowTable(bytes, 'x.arrow')).toThrow(message);
  });

  it('reads bytes that do not begin at a multiple of 8 in memory', () => {
    const good = fixture('plain.arrow');
    const shifted = Buffer.concat([Buffer.from([0, 0, 0]), good]).subarray(3);
    expect(readArrowTable(shifted, 'x').value('id', 0)).toBe(9007199254740993n);
  });

  it('reads a file of ours without rows', () => {
    const bytes = encodeArrowFile({ id: { type: 'utf8', values: [] } });
    expect(readArrowTable(bytes, 'x')).toMatchObject({ rowCount: 0, columns: ['id'] });
  });
});
