import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openEntry } from '../../src/cache/open-entry.js';
import { readEntry } from '../../src/cache/read-entry.js';
import { scoreTable } from '../../src/cache/table/score-table.js';
import { startedModule } from '../built-modules.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { fastClock, openWriter, testKey } from './cache-fixture.js';
import { testIds, testRow } from './test-ingredients.js';

const key = testKey();
const root = join(import.meta.dirname, '..', '..');

function scoreChild(cacheDir: string, rows: number, hangAfter = 0): ChildProcess {
  return spawn(
    process.execPath,
    [fileURLToPath(startedModule('cache/score-child')), cacheDir, String(rows), String(hangAfter)],
    {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.stdout!.once('data', (data) => resolve(String(data).trim())));
const exitCode = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once('exit', resolve));

describe('two runs on one cache', () => {
  it('at once score every row once in all and both end well', async () => {
    const cacheDir = temporaryFolder();
    const children = [scoreChild(cacheDir, 60), scoreChild(cacheDir, 60), scoreChild(cacheDir, 60)];
    const exits = children.map(exitCode);
    const lines = await Promise.all(children.map(firstLine));
    expect(await Promise.all(exits)).toEqual([0, 0, 0]);
    expect(lines.sort()).toEqual(['scored 0', 'scored 0', 'scored 60']);
    const alone = temporaryFolder();
    const ids = testIds(60);
    const writer = await openWriter(alone, key, { ids });
    await writer.append(ids.map(testRow));
    await writer.complete({}, 'later');
    const file = `${key.name}.arrow`;
    expect(readFileSync(join(cacheDir, file)).equals(readFileSync(join(alone, file)))).toBe(true);
    expect(readdirSync(cacheDir).sort()).toEqual([file, `${key.name}.json`]);
  });

  it('one of them killed: the other waits with a message, takes the lock over and goes on', async () => {
    const cacheDir = temporaryFolder();
    const child = scoreChild(cacheDir, 40, 15);
    const exited = exitCode(child);
    expect(await firstLine(child)).toBe('hanging');
    const messages: string[] = [];
    const onMessage = (message: string) => {
      messages.push(message);
      child.kill('SIGKILL');
    };
    const writer = await openWriter(cacheDir, key, { ids: testIds(40), pollMs: 10, onMessage });
    await exited;
    expect(messages).toEqual([expect.stringContaining(`waiting for process ${child.pid}`)]);
    expect(writer.completedIds().size).toBe(15);
  });

  it('one of them stopped for so long that the other took the entry over: when it goes on it writes nothing and takes nothing away', async () => {
    const cacheDir = temporaryFolder();
    const child = scoreChild(cacheDir, 40, 15);
    const exited = exitCode(child);
    expect(await firstLine(child)).toBe('hanging');
    child.kill('SIGSTOP');
    const clock = fastClock();
    const ids = testIds(40);
    const writer = await openWriter(cacheDir, key, { ids, ...clock });
    // This look at the clock takes a second too.
    expect(clock.now()).toBeGreaterThan(31_000);
    expect(writer.completedIds().size).toBe(15);
    const rows = ids.map(testRow);
    await writer.append(rows.slice(15, 30));
    // A part under its temporary name is one that is being flushed.
    const files = () =>
      (readdirSync(cacheDir, { recursive: true }) as string[])
        .map((name) => name.replace(/\/\.(.+\.arrow)\..+\.tmp$/, '/$1'))
        .sort();
    const before = files();
    const end = firstLine(child);
    child.kill('SIGCONT');
    child.stdin!.write('go on\n');
    expect([await end, await exited]).toEqual(['cache-busy', 0]);
    expect(files()).toEqual(before);
    await writer.append(rows.slice(30));
    await writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
    const state = await readEntry(cacheDir, key);
    expect(state.kind === 'complete' && state.table).toEqual(scoreTable(rows));
  });

  it('one of them stopped as it completes the entry: it gives no file its name any more', async () => {
    const cacheDir = temporaryFolder();
    const ids = testIds(8);
    const writer = await openWriter(cacheDir, key, { ids });
    await writer.append(ids.map(testRow));
    rmSync(join(cacheDir, `${key.name}.owner`));
    await expect(writer.complete({}, 'now')).rejects.toMatchObject({ code: 'cache-busy' });
    expect(readdirSync(cacheDir).filter((name) => /arrow$|json$|tmp$/.test(name))).toEqual([]);
  });

  it('can be stopped while it waits', async () => {
    const cacheDir = temporaryFolder();
    await openWriter(cacheDir, key, { ids: ['a'] });
    const stop = new AbortController();
    const opened = openEntry(cacheDir, key, { ids: ['a'], signal: stop.signal, onMessage: () => stop.abort() });
    await expect(opened).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('do not hinder reading, nor the scoring of another entry', async () => {
    const cacheDir = temporaryFolder();
    const writer = await openWriter(cacheDir, key, { ids: ['a', 'b'] });
    await writer.append([testRow('a', 0)]);
    expect(await readEntry(cacheDir, key)).toEqual({ kind: 'partial', ids: ['a'], failed: 0 });
    await openWriter(cacheDir, testKey({ model: 'other' }), { ids: ['a'] });
  });

  it('overlapping appends of one writer are all kept', async () => {
    const ids = testIds(30);
    const writer = await openWriter(temporaryFolder(), key, { ids });
    await Promise.all(ids.map((id, n) => writer.append([testRow(id, n)])));
    expect((await writer.complete({}, 'now')).table.ids).toEqual(ids);
  });
});
