import { appendFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileStamp } from '../../src/files/file-hash-cached.js';
import { sha256OfFile } from '../../src/files/sha256-of-file.js';
import { unchangedFiles } from '../../src/models/unchanged-files.js';
import { temporaryFolder } from '../files/temporary-folder.js';

async function watched() {
  const file = path.join(temporaryFolder(), 'model.gguf');
  writeFileSync(file, 'weights');
  const seen = [{ path: file, sha256: await sha256OfFile(file), stamp: await fileStamp(file) }];
  return { file, check: unchangedFiles({ seen }, { id: 'm' }) };
}

describe('unchangedFiles', () => {
  it('accepts files as they were, and a file that was touched but has the same content', async () => {
    const { file, check } = await watched();
    await check();
    writeFileSync(file, 'weights');
    await check();
  });

  it('refuses a file written over in place, even with the same size and its modification time set back', async () => {
    const { file, check } = await watched();
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'WEIGHTS');
    utimesSync(file, atime, mtime);
    await expect(check()).rejects.toMatchObject({ code: 'bad-input', file, message: expect.stringContaining('"m"') });
  });

  it('refuses a file that has grown, and another one that was put in its place', async () => {
    const { file, check } = await watched();
    appendFileSync(file, '!');
    await expect(check()).rejects.toMatchObject({ code: 'bad-input', file });
    writeFileSync(`${file}.new`, 'WEIGHTS');
    renameSync(`${file}.new`, file);
    await expect(check()).rejects.toMatchObject({ code: 'bad-input', file });
  });

  it('refuses a file that is gone', async () => {
    const { file, check } = await watched();
    rmSync(file);
    await expect(check()).rejects.toMatchObject({ code: 'bad-input' });
  });
});
