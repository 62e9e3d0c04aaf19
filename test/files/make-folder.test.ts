import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/files/make-folder.js';
import { temporaryFolder } from './temporary-folder.js';

describe('makeFolder', () => {
  it('makes a folder with all its parents, and is content with one that is there', async () => {
    const folder = path.join(temporaryFolder(), 'a', 'b ü', 'c');
    await makeFolder(folder);
    await makeFolder(folder);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('makes one folder for many that ask at once', async () => {
    const folder = path.join(temporaryFolder(), 'x', 'y');
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(folder)));
    expect(existsSync(folder)).toBe(true);
  });

  it('refuses where a file is in the way, as the folder itself or as a parent', async () => {
    const root = temporaryFolder();
    mkdirSync(path.join(root, 'd'));
    writeFileSync(path.join(root, 'd', 'file'), '');
    for (const name of ['d/file', 'd/file/inside']) {
      await expect(makeFolder(path.join(root, name))).rejects.toMatchObject({ code: 'write-failed' });
    }
  });

  it('says that links lead in a circle', async () => {
    const loop = path.join(temporaryFolder(), 'loop');
    symlinkSync(loop, loop);
    await expect(makeFolder(loop)).rejects.toMatchObject({ code: 'write-failed', cause: { code: 'ELOOP' } });
  });

  it.skipIf(!existsSync('/proc/self'))(
    'ends where the file system refuses new folders with "no such file"',
    async () => {
      await expect(makeFolder('/proc/nowhere/deep')).rejects.toMatchObject({ code: 'write-failed' });
    },
  );
});
