import { statfsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { freeDisk } from '../../src/files/free-disk.js';
import { temporaryFolder } from './temporary-folder.js';

it('says how many bytes are free where a folder is or will be', async () => {
  const folder = temporaryFolder();
  const { bavail, bsize } = statfsSync(folder);
  for (const place of [folder, path.join(folder, 'not', 'yet')]) {
    // Others write to the disk meanwhile.
    expect((await freeDisk(place))! / (bavail * bsize)).toBeCloseTo(1, 1);
  }
});
