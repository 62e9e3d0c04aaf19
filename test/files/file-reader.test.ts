import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FileReader } from '../../src/files/file-reader.js';
import { temporaryFolder } from './temporary-folder.js';

it('reads files of any size one after the other, and says when one is not there', async () => {
  const folder = temporaryFolder();
  const reader = new FileReader();
  for (const size of [3, 200_000, 5_000_000, 0, 1_000]) {
    const bytes = Uint8Array.from({ length: size }, (_, n) => (n * 7 + size) % 251);
    writeFileSync(path.join(folder, 'file'), bytes);
    expect(Buffer.compare(await reader.read(path.join(folder, 'file')), bytes)).toBe(0);
  }
  rmSync(path.join(folder, 'file'));
  await expect(reader.read(path.join(folder, 'file'))).rejects.toMatchObject({ code: 'ENOENT' });
});
