import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockSeekers } from '../../../src/cache/lock/lock-seekers.js';
import { type OpenedRanges, openRanges } from '../../../src/cache/open-ranges.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { testRow } from '../test-ingredients.js';
import { completeAndCompare, ids, key, ROWS, takeRanges } from './held-ranges.js';

function child(cacheDir: string): { process: ChildProcess; lines: () => Promise<string>; ended: Promise<unknown> } {
  const script = join(import.meta.dirname, 'ranges-child.ts');
  const started = spawn(process.execPath, ['--import', 'tsx', script, cacheDir, String(ROWS)], {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = () => new Promise<string>((go) => started.stdout?.once('data', (data) => go(String(data).trim())));
  return { process: started, lines, ended: new Promise((go) => started.once('exit', go)) };
}

describe('the run that holds a range', () => {
  it('killed: another takes the range over at once, and goes on after the rows that were kept', async () => {
    const cacheDir = temporaryFolder();
    const holder = child(cacheDir);
    expect(await holder.lines()).toBe('hanging');
    holder.process.kill('SIGKILL');
    await holder.ended;
    const next = await takeRanges(cacheDir, ROWS);
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
    const others = await takeRanges(cacheDir, ROWS, seek);
    expect(others.ids).toHaveLength(ROWS - 16);
    // Only the range of the stopped run is watched: to this clock, which leaps, the other ranges look abandoned too.
    const options = { ids, rows: ROWS, seek, only: new Set([0]) };
    let opened: OpenedRanges = { kind: 'held' };
    while (opened.kind === 'held') opened = await openRanges(cacheDir, key, options);
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
});
