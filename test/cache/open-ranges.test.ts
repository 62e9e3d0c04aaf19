import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockSeekers } from '../../src/cache/lock/lock-seekers.js';
import { openEntry, tryOpenEntry } from '../../src/cache/open-entry.js';
import { type OpenedRanges, openRanges } from '../../src/cache/open-ranges.js';
import { rowRanges } from '../../src/cache/parts/row-ranges.js';
import { removeEntry } from '../../src/cache/remove-entry.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { completeEntry, testKey } from './cache-fixture.js';
import { testIds, testRow } from './test-ingredients.js';

const ROWS = 150;
const key = testKey();
const ids = testIds(ROWS);
const parts = (cacheDir: string) => join(cacheDir, `${key.name}.parts`);

async function take(cacheDir: string, rows: number, seek = lockSeekers()) {
  const opened: OpenedRanges = await openRanges(cacheDir, key, { ids, rows, seek });
  if (opened.kind !== 'open') throw new Error(`the ranges are ${opened.kind}`);
  onTestFinished(() => opened.writer.release());
  const all = opened.ids.map((id) => testRow(id, ids.indexOf(id)));
  const open = () => all.filter(({ id }) => !opened.writer.completedIds().has(id));
  return { ...opened, rows: all, scoreRest: () => opened.writer.append(open()) };
}

/** Completes the entry, whose rows must all be there, and compares it with one that a single run wrote. */
async function completeAndCompare(cacheDir: string, seek = lockSeekers()): Promise<void> {
  const whole = await tryOpenEntry(cacheDir, key, { ids, seek });
  if (whole?.kind !== 'open') throw new Error('the entry cannot be opened as a whole');
  await whole.writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
  await whole.writer.release();
  const alone = await completeEntry(key, testRow, ROWS);
  const file = `${key.name}.arrow`;
  expect(readFileSync(join(cacheDir, file)).equals(readFileSync(join(alone, file)))).toBe(true);
  expect(readdirSync(cacheDir).sort()).toEqual([file, `${key.name}.json`]);
}

function child(cacheDir: string): { process: ChildProcess; lines: () => Promise<string>; ended: Promise<unknown> } {
  const script = join(import.meta.dirname, 'ranges-child.ts');
  const started = spawn(process.execPath, ['--import', 'tsx', script, cacheDir, String(ROWS)], {
    cwd: join(import.meta.dirname, '..', '..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = () => new Promise<string>((go) => started.stdout?.once('data', (data) => go(String(data).trim())));
  return { process: started, lines, ended: new Promise((go) => started.once('exit', go)) };
}

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
    const first = await take(cacheDir, 1);
    const second = await take(cacheDir, ROWS);
    expect([first.ids.length, second.ids.length]).toEqual([16, ROWS - 16]);
    await Promise.all([first.scoreRest(), second.scoreRest()]);
    await expect(openRanges(cacheDir, key, { ids, rows: 1, seek: lockSeekers() })).resolves.toEqual({ kind: 'scored' });
    await first.writer.release();
    await second.writer.release();
    await completeAndCompare(cacheDir);
  });

  it('keep whoever wants the whole entry waiting, to score, complete or remove it, as long as one is held', async () => {
    const cacheDir = temporaryFolder();
    const held = await take(cacheDir, 1);
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
    await (await take(cacheDir, 1)).writer.release();
    const seek = lockSeekers();
    const late = await openRanges(cacheDir, key, {
      ...{ ids, rows: 1 },
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
  it('killed: another takes the range over at once, and goes on after the rows that were kept', async () => {
    const cacheDir = temporaryFolder();
    const holder = child(cacheDir);
    expect(await holder.lines()).toBe('hanging');
    holder.process.kill('SIGKILL');
    await holder.ended;
    const next = await take(cacheDir, ROWS);
    expect([next.ids.length, next.writer.completedIds().size]).toEqual([ROWS, 5]);
    await next.scoreRest();
    await next.writer.release();
    await completeAndCompare(cacheDir);
  });

  it('stopped until another took the range over: when it goes on it keeps no row and takes nothing away', async () => {
    const cacheDir = temporaryFolder();
    const holder = child(cacheDir);
    expect(await holder.lines()).toBe('hanging');
    holder.process.kill('SIGSTOP');
    // The clock that watches the lock only goes forward, a second whenever it is read; the date never changes.
    let clock = 0;
    const now = () => {
      clock += 1000;
      return clock;
    };
    const seek = lockSeekers(now);
    const others = await take(cacheDir, ROWS, seek);
    expect(others.ids).toHaveLength(ROWS - 16);
    let opened: OpenedRanges = { kind: 'held' };
    while (opened.kind === 'held') opened = await openRanges(cacheDir, key, { ids, rows: ROWS, seek });
    expect(clock).toBeGreaterThan(12_000);
    if (opened.kind !== 'open') throw new Error(opened.kind);
    expect([opened.ids.length, opened.writer.completedIds().size]).toEqual([16, 5]);
    const end = holder.lines();
    holder.process.kill('SIGCONT');
    holder.process.stdin?.write('go on\n');
    expect(await end).toBe('cache-busy');
    await holder.ended;
    await others.scoreRest();
    await opened.writer.append(opened.ids.slice(5).map((id) => testRow(id, ids.indexOf(id))));
    await opened.writer.release();
    await others.writer.release();
    await completeAndCompare(cacheDir, seek);
  });

  it('loses no range to a clock that jumps: its lock gives signs of life', async () => {
    const cacheDir = temporaryFolder();
    const held = await take(cacheDir, 1);
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
