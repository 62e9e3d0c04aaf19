import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readParts } from '../../src/cache/parts/part-files.js';
import { readEntry } from '../../src/cache/read-entry.js';
import { SupportCalError } from '../../src/errors/supportcal-error.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { mountSmallDisk } from '../small-disk.js';
import { openWriter, testKey } from './cache-fixture.js';
import { testIds, testRow } from './test-ingredients.js';

/** A small file system of its own, or null where only root of a machine may mount one. */
function smallDisk(): string | null {
  const folder = temporaryFolder();
  return mountSmallDisk(folder, '256k') ? folder : null;
}

describe('a disk', () => {
  it('that fills up while scoring is named, with what to do; the rows before are intact', async (context) => {
    const disk = smallDisk();
    if (disk === null) return context.skip('mounting a small tmpfs needs root');
    const ids = testIds(4_000);
    const key = testKey();
    const writer = await openWriter(disk, key, { ids });
    let kept = 0;
    let failure: unknown;
    for (let n = 0; n < ids.length && failure === undefined; n += 40) {
      const rows = ids.slice(n, n + 40).map((id, k) => testRow(id, n + k));
      await writer.append(rows).then(
        () => {
          kept += rows.length;
        },
        (error) => {
          failure = error;
        },
      );
    }
    expect(failure).toBeInstanceOf(SupportCalError);
    expect(failure).toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('the disk is full; free some'),
    });
    expect((failure as SupportCalError).file).toContain(disk);
    expect(kept).toBeGreaterThan(0);
    const { tables, damaged } = await readParts(`${disk}/${key.name}.parts`);
    expect(damaged).toEqual([]);
    expect(tables.reduce((sum, table) => sum + table.ids.length, 0)).toBe(kept);
    expect(await readEntry(disk, key)).toMatchObject({ kind: 'partial' });
  });

  it('that is read-only is named before anything is scored', async (context) => {
    const disk = smallDisk();
    if (disk === null) return context.skip('mounting a small tmpfs needs root');
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    await expect(openWriter(disk, testKey(), { ids: testIds(3) })).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringContaining('the file system is read-only'),
    });
  });
});
