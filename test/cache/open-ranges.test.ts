import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockSeekers } from '../../src/cache/lock/lock-seekers.js';
import { openEntry, tryOpenEntry } from '../../src/cache/open-entry.js';
import { openRanges } from '../../src/cache/open-ranges.js';
import { rowRanges } from '../../src/cache/parts/row-ranges.js';
import { removeEntry } from '../../src/cache/remove-entry.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { completeAndCompare, ids, key, parts, ROWS, takeRanges } from './parts/held-ranges.js';
import { testRow } from './test-ingredients.js';

describe('the ranges of an entry', () => {
  it('follow from the number of its rows, hold each row once, and are at most 128', () => {
    for (const count of [0, 1, 15, 16, 17, 2048, 2049, 1_000_000]) {
      const ranges = rowRanges(count);
      expect(ranges.length).toBeLessThanOrEqual(128);
      expect(ranges.flatMap(({ from, to }, n) => (n === ranges.length - 1 ? [from, to] : [from]))).toEqual(
        count === 0 ? [] : [...ranges.map(({ index }) => index * (ranges[0]?.to ?? 0)), count],
      );
    }
    expect([rowRanges(1200), rowRanges(3600)].map(({ length }) => length)).toEqual([75, 125]);
  });

  it('are held by several runs at once, and become the bytes of one run', async () => {
    const cacheDir = temporaryFolder();
    const first = await takeRanges(cacheDir, 1);
    const second = await takeRanges(cacheDir, ROWS);
    expect([first.ids.length, second.ids.length]).toEqual([16, ROWS - 16]);
    await Promise.all([first.scoreRest(), second.scoreRest()]);
    await expect(openRanges(cacheDir, key, { ids, rows: 1, seek: lockSeekers() })).resolves.toEqual({ kind: 'scored' });
    await first.writer.release();
    await second.writer.release();
    await completeAndCompare(cacheDir);
  });

  it('keep whoever wants the whole entry waiting, to score, complete or remove it, as long as one is held', async () => {
    const cacheDir = temporaryFolder();
    const held = await takeRanges(cacheDir, 1);
    expect(await tryOpenEntry(cacheDir, key, { ids, seek: lockSeekers() })).toBeNull();
    expect(await removeEntry(cacheDir, key.name)).toBe(false);
    const stop = new AbortController();
    const onMessage = () => stop.abort();
    const waiting = openEntry(cacheDir, key, { ids, pollMs: 1, signal: stop.signal, onMessage });
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
    await held.scoreRest();
    expect(held.writer.completedIds().size).toBe(16);
    await held.writer.release();
    expect(await removeEntry(cacheDir, key.name)).toBe(true);
    expect(readdirSync(cacheDir)).toEqual([]);
  });

  it('cannot be taken while a run holds the whole entry, nor once it is complete', async () => {
    const cacheDir = temporaryFolder();
    const whole = await openEntry(cacheDir, key, { ids });
    if (whole.kind !== 'open') throw new Error('complete');
    const options = { ids, rows: 1, seek: lockSeekers() };
    expect(await openRanges(cacheDir, key, options)).toEqual({ kind: 'held' });
    await whole.writer.append(ids.map(testRow));
    await whole.writer.complete({}, 'now');
    await whole.writer.release();
    expect(await openRanges(cacheDir, key, options)).toMatchObject({ kind: 'complete' });
  });

  it('are given up by a run that finds them merged as it takes them, and its folder with them', async () => {
    const cacheDir = temporaryFolder();
    await (await takeRanges(cacheDir, 1)).writer.release();
    const seek = lockSeekers();
    const late = await openRanges(cacheDir, key, {
      ids,
      rows: 1,
      // Between the look at the parts and the lock another run completed the entry and removed its parts.
      seek: async (target) => {
        rmSync(parts(cacheDir), { recursive: true });
        return seek(target);
      },
    });
    expect(late).toEqual({ kind: 'held' });
    expect(existsSync(parts(cacheDir))).toBe(false);
  });
});

describe('the run that holds a range', () => {
  it('loses no range to a clock that jumps: its lock gives signs of life', async () => {
    const cacheDir = temporaryFolder();
    const held = await takeRanges(cacheDir, 1);
    let clock = 0;
    const seek = lockSeekers(() => clock);
    const options = { ids, rows: 1, seek, only: new Set([0]) };
    for (const jump of [0, 3_600_000]) {
      clock += jump;
      // A sign of life as the holder gives it.
      await held.writer.append(held.rows.slice(jump === 0 ? 0 : 5, jump === 0 ? 5 : 10));
      utimesSync(join(parts(cacheDir), 'range-000.lock'), new Date(), new Date());
      expect(await openRanges(cacheDir, key, options)).toEqual({ kind: 'held' });
    }
  });
});
