import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SupportCalError } from '../../src/errors/supportcal-error.js';
import { writeFileAtomic } from '../../src/files/write-file-atomic.js';
import { temporaryFolder } from './temporary-folder.js';

describe('writeFileAtomic', () => {
  it('makes the folders and replaces the file', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'a', 'b', 'c.txt');
    await writeFileAtomic(path, 'one');
    await writeFileAtomic(path, Uint8Array.of(116, 119, 111));
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['c.txt']);
  });

  it('writes through a link instead of replacing it', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'real'), 'old');
    symlinkSync('real', join(folder, 'link'));
    await writeFileAtomic(join(folder, 'link'), 'new');
    expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('new');
  });

  it('leaves the old file and nothing else when the check before the rename fails', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'c.txt');
    await writeFileAtomic(path, 'old');
    const verify = async (temporaryPath: string) => {
      expect(readFileSync(temporaryPath, 'utf8')).toBe('new');
      throw new SupportCalError('internal', 'not as written');
    };
    await expect(writeFileAtomic(path, 'new', { verify })).rejects.toMatchObject({ code: 'internal' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['c.txt']);
  });

  it('ends with one of the contents when many write at once', async () => {
    const path = join(temporaryFolder(), 'c.txt');
    const contents = Array.from({ length: 20 }, (_, n) => String(n).repeat(1000));
    await Promise.all(contents.map((content) => writeFileAtomic(path, content)));
    expect(contents).toContain(readFileSync(path, 'utf8'));
  });

  it('says where and what to do when a folder or a file is in the way', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder', 'x'), { recursive: true });
    const below = writeFileAtomic(join(folder, 'file', 'c.txt'), 'x');
    await expect(below).rejects.toMatchObject({ code: 'write-failed', file: join(folder, 'file', 'c.txt') });
    await expect(writeFileAtomic(join(folder, 'folder'), 'x')).rejects.toMatchObject({ code: 'write-failed' });
    expect(readdirSync(folder).sort()).toEqual(['file', 'folder']);
  });
});
