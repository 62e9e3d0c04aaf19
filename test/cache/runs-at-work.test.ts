import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runsAtWork } from '../../src/cache/runs-at-work.js';
import { temporaryFolder } from '../files/temporary-folder.js';

const note = { holds: ['e'], models: ['m'], rows: 9, done: 3, left: 6, waitsFor: [] as string[] };

it('runs of one cache see what the others do, until they leave', async () => {
  const cacheDir = temporaryFolder();
  const [one, two] = [runsAtWork(cacheDir), runsAtWork(cacheDir)];
  expect(one.name).toMatch(/^[\w.-]+-\d+-[0-9a-f]{8}$/);
  expect(await one.look(note)).toEqual([]);
  const seen = await two.look({ ...note, waitsFor: ['e'] });
  expect(seen).toEqual([{ ...note, name: one.name, host: hostname(), pid: process.pid }]);
  expect(await one.look(note)).toMatchObject([{ name: two.name, waitsFor: ['e'] }]);
  await two.leave();
  expect(await one.look(note)).toEqual([]);
  await one.leave();
  expect(existsSync(path.join(cacheDir, 'at-work'))).toBe(false);
});

it('a run that writes nothing for 8 seconds counts for nothing, and is forgotten after 80', async () => {
  const cacheDir = temporaryFolder();
  const clock = { now: 0 };
  const other = runsAtWork(cacheDir);
  const mine = runsAtWork(cacheDir, () => clock.now);
  await other.look(note);
  const seenAt = async (now: number) => {
    clock.now = now;
    return (await mine.look(note)).length;
  };
  expect([await seenAt(0), await seenAt(8_000), await seenAt(8_001)]).toEqual([1, 1, 0]);
  await other.look(note);
  expect([await seenAt(9_000), await seenAt(17_000), await seenAt(17_001)]).toEqual([1, 1, 0]);
  expect([await seenAt(89_000), readdirSync(path.join(cacheDir, 'at-work')).length]).toEqual([0, 2]);
  expect([await seenAt(89_001), readdirSync(path.join(cacheDir, 'at-work')).length]).toEqual([0, 1]);
});

it('a dead process of this machine is removed, one of another machine is not; what is no note is passed over', async () => {
  const cacheDir = temporaryFolder();
  const folder = path.join(cacheDir, 'at-work');
  mkdirSync(folder);
  const write = (name: string, content: object | string) =>
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  const live = { ...note, host: hostname(), pid: process.pid };
  write('dead.json', { ...live, pid: 2 ** 22 + 1 });
  write('far.json', { ...live, host: `not ${hostname()}`, pid: 2 ** 22 + 1 });
  write('note.txt', live);
  const odd = [
    { ...live, holds: 'e' },
    { ...live, models: [1] },
    { ...live, waitsFor: null },
    { ...live, left: 'x' },
  ];
  for (const [n, content] of [...odd, { ...live, host: 1 }, { ...live, rows: null }, '{', '[]'].entries())
    write(`odd-${n}.json`, content);
  const mine = runsAtWork(cacheDir);
  expect((await mine.look(note)).map(({ name }) => name)).toEqual(['far']);
  expect([existsSync(path.join(folder, 'dead.json')), existsSync(path.join(folder, 'far.json'))]).toEqual([
    false,
    true,
  ]);
});

it('a folder that cannot be written is a run that nobody sees', async () => {
  const cacheDir = temporaryFolder();
  writeFileSync(path.join(cacheDir, 'at-work'), 'a file');
  const mine = runsAtWork(cacheDir);
  expect(await mine.look(note)).toEqual([]);
  await mine.leave();
  expect(existsSync(path.join(cacheDir, 'at-work'))).toBe(true);
});
