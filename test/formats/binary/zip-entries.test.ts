import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ZIP_LIMITS, type ZipEntry, type ZipLimits, zipEntries } from '../../../src/formats/binary/zip-entries.js';

interface Member {
  readonly name: string;
  readonly text: string;
  /** What the directory says that it unpacks to; default: the truth. */
  readonly size?: number;
  readonly method?: number;
}

/** A zip archive, by hand. */
function archive(members: readonly Member[], damage: (bytes: Buffer) => void = () => {}): string {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, text, size, method = 8 } of members) {
    const bytes = Buffer.from(text);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(size ?? bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), fields, tail, Buffer.from(name)]));
    local.push(entry);
    offset += entry.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  const whole = Buffer.concat([...local, directory, end]);
  damage(whole);
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-zip-')), 'a.eval');
  writeFileSync(file, whole);
  return file;
}

async function entriesOf(file: string, limits: Partial<ZipLimits> = {}, wanted = (_: string) => true) {
  const found: ZipEntry[] = [];
  const source = { path: file, shown: 'a.eval' };
  for await (const entry of zipEntries(source, wanted, { ...ZIP_LIMITS, ...limits })) found.push(entry);
  return found.map(({ name, bytes }) => [name, bytes.toString()]);
}

const members = [
  { name: 'samples/1.json', text: '{"id": 1}' },
  { name: 'header.json', text: '{}', method: 0 },
  { name: 'samples/1.json', text: '{"id": "the later one"}' },
];

describe('a zip archive', () => {
  it('gives the files that are wanted, of several with one name the last', async () => {
    const later = ['samples/1.json', '{"id": "the later one"}'];
    expect(await entriesOf(archive(members))).toEqual([later, ['header.json', '{}']]);
    expect(await entriesOf(archive(members), {}, (name) => name.startsWith('samples/'))).toEqual([later]);
  });

  it('is refused where it holds more files, a larger one or more in all than is read', async () => {
    const file = archive(members);
    await expect(entriesOf(file, { entries: 2 })).rejects.toThrow(/holds 3 files, more than the 2/);
    await expect(entriesOf(file, { entryBytes: 10 })).rejects.toThrow(/"samples\/1.json" unpacks to more than/);
    await expect(entriesOf(file, { totalBytes: 20 })).rejects.toThrow(/the archive unpacks to more than/);
  });

  it('is refused where a file unpacks to more than its directory says, or to other bytes', async () => {
    const bomb = { name: 'a.json', text: '0'.repeat(5_000_000), size: 100 };
    await expect(entriesOf(archive([bomb]))).rejects.toThrow(/a\.eval: cannot be read as a zip archive/);
    const flipped = archive([{ name: 'a.json', text: '{"id": 1}', method: 0 }], (bytes) => {
      bytes[38]! ^= 1;
    });
    await expect(entriesOf(flipped)).rejects.toThrow(/another checksum|crc/i);
  });

  it('is refused where it is packed by another method, cut, or none at all', async () => {
    await expect(entriesOf(archive([{ name: 'a', text: 'x', method: 14 }]))).rejects.toThrow(
      /deflate and zstd are read/,
    );
    const cut = archive(members);
    writeFileSync(cut, readFileSync(cut).subarray(0, 60));
    await expect(entriesOf(cut)).rejects.toThrow(/cannot be read as a zip archive/);
    await expect(entriesOf('missing.eval')).rejects.toThrow(/no such file/);
  });

  it('packed by zstd is refused when a byte of it is changed', async () => {
    const folder = path.join(import.meta.dirname, '../../datasets/logits/harness/fixtures/inspect-packed');
    const whole = readFileSync(path.join(folder, readdirSync(folder)[0]!));
    const at = whole.indexOf('samples/facts-0001_epoch_1.json') + 200;
    whole[at]! ^= 0x10;
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-zip-')), 'a.eval');
    writeFileSync(file, whole);
    await expect(entriesOf(file, {}, (name) => name.includes('0001'))).rejects.toThrow(/zstd|size|checksum/);
  });
});
