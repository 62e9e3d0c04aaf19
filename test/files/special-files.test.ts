import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/files/write-file-atomic.js';
import { writeStreamAtomic } from '../../src/files/write-stream-atomic.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-special-'));
const stream = async (file: string, text: string) => {
  const to = await writeStreamAtomic(file);
  await to.write(text);
  await to.commit();
};

describe.each([
  ['writeFileAtomic', writeFileAtomic],
  ['writeStreamAtomic', stream],
])('%s', (name, write) => {
  it.skipIf(process.platform === 'win32')('writes to a pipe, which stays one', async () => {
    const pipe = path.join(folder, `${name}.pipe`);
    execFileSync('mkfifo', [pipe]);
    // Opened for both, so that neither end waits for the other.
    const reader = await open(pipe, 'r+');
    await write(pipe, 'hello');
    const { buffer, bytesRead } = await reader.read(Buffer.alloc(9), 0, 9, null);
    await reader.close();
    expect(buffer.toString('utf8', 0, bytesRead)).toBe('hello');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  it('writes the file that a link names, and leaves the link', async () => {
    const [file, link] = [path.join(folder, `${name}.txt`), path.join(folder, `${name}.link`)];
    writeFileSync(file, 'old');
    symlinkSync(file, link);
    await write(link, 'new');
    expect([readFileSync(file, 'utf8'), lstatSync(link).isSymbolicLink()]).toEqual(['new', true]);
  });
});
