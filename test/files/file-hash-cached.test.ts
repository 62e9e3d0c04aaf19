import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileHashCached } from '../../src/files/file-hash-cached.js';
import { sha256OfFile } from '../../src/files/sha256-of-file.js';
import { temporaryFolder } from './temporary-folder.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A file that the index knows: a file that changed a moment ago is not remembered yet. */
async function knownFile(content: string) {
  const folder = temporaryFolder();
  const [path, index] = [join(folder, 'model.gguf'), join(folder, 'cache', 'file-hashes.json')];
  writeFileSync(path, content);
  await vi.waitFor(async () => {
    await fileHashCached(path, index);
    statSync(index);
  });
  const hash = vi.fn(sha256OfFile);
  return { folder, path, index, hash, again: () => fileHashCached(path, index, hash) };
}

describe('fileHashCached', () => {
  it('does not read a known file again', async () => {
    const { again, hash } = await knownFile('content');
    expect(await again()).toBe(sha256('content'));
    expect(hash).not.toHaveBeenCalled();
  });

  it('notices a file that is written over in place with the same size and modification time', async () => {
    const { path, again } = await knownFile('content');
    const { atime, mtime } = statSync(path);
    writeFileSync(path, 'CONTENT');
    utimesSync(path, atime, mtime);
    expect(await again()).toBe(sha256('CONTENT'));
  });

  it('notices another file under the same name', async () => {
    const { folder, path, again } = await knownFile('content');
    writeFileSync(join(folder, 'other'), 'CONTENT');
    renameSync(join(folder, 'other'), path);
    expect(await again()).toBe(sha256('CONTENT'));
  });

  it('reads the file again when its index is damaged, and never trusts a changed hash', async () => {
    const { index, again, hash } = await knownFile('content');
    writeFileSync(index, readFileSync(index, 'utf8').replace(sha256('content'), sha256('other')));
    expect(await again()).toBe(sha256('content'));
    writeFileSync(index, '{');
    expect(await again()).toBe(sha256('content'));
    expect(hash).toHaveBeenCalled();
  });

  it('knows a file by its real path, and works without a place for its index', async () => {
    const { folder, path, hash } = await knownFile('content');
    mkdirSync(join(folder, 'index'));
    copyFileSync(path, join(folder, 'copy'));
    expect(await fileHashCached(join(folder, 'copy'), join(folder, 'index'), hash)).toBe(sha256('content'));
  });

  it('does not remember a file that changed a moment ago, since it could change again unseen', async () => {
    const folder = temporaryFolder();
    const [path, index] = [join(folder, 'model.gguf'), join(folder, 'file-hashes.json')];
    writeFileSync(path, 'content');
    const changed = statSync(path).ctimeMs;
    const now = vi.spyOn(Date, 'now').mockReturnValue(Math.floor(changed) + 49);
    onTestFinished(() => now.mockRestore());
    expect([await fileHashCached(path, index), existsSync(index)]).toEqual([sha256('content'), false]);
    now.mockReturnValue(Math.ceil(changed) + 51);
    expect([await fileHashCached(path, index), existsSync(index)]).toEqual([sha256('content'), true]);
  });

  it('reads a file again that changes while it is read', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'model.gguf');
    writeFileSync(path, 'content');
    const hash = vi.fn(async (file: string) => {
      const found = await sha256OfFile(file);
      if (hash.mock.calls.length === 1) writeFileSync(path, 'longer content');
      return found;
    });
    expect(await fileHashCached(path, join(folder, 'index'), hash)).toBe(sha256('longer content'));
    expect(hash).toHaveBeenCalledTimes(2);
  });

  it('rejects with the error of the file system for a file that is not there', async () => {
    const folder = temporaryFolder();
    await expect(fileHashCached(join(folder, 'none'), join(folder, 'index'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('sha256OfFile', () => {
  it('hashes a file that is longer than one piece', async () => {
    const path = join(temporaryFolder(), 'big');
    const bytes = Buffer.alloc(5 * 1024 * 1024, 'pattern');
    writeFileSync(path, bytes);
    expect(await sha256OfFile(path)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
