import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { checkKept, keep, keptFile, readKept } from '../../src/cache/kept-results.js';
import { temporaryFolder } from '../files/temporary-folder.js';

const key = { build: 'b1', inputs: 'i1' };

it('a kept text is read with the key that it was kept with, the last one of a name alone', async () => {
  const file = keptFile(temporaryFolder(), 'a set/of rows');
  expect(await readKept(file, key)).toBe(null);
  await keep(file, key, 'first\nof two lines, é');
  expect(await readKept(file, key)).toBe('first\nof two lines, é');
  expect([await readKept(file, { ...key, build: 'b' }), await readKept(file, { ...key, inputs: 'i2' })]).toEqual([
    null,
    null,
  ]);
  await keep(file, { ...key, inputs: 'i2' }, '');
  expect([await readKept(file, key), await readKept(file, { ...key, inputs: 'i2' })]).toEqual([null, '']);
});

it('one that is damaged is not read, and is named; those of other builds are outdated', async () => {
  const cacheDir = temporaryFolder();
  expect(await checkKept(cacheDir)).toEqual({ outdated: [], damaged: [] });
  const [one, two] = [keptFile(cacheDir, 'one'), keptFile(cacheDir, 'two')];
  await keep(one, { build: 'new-1', inputs: 'i' }, 'text');
  await keep(two, { build: 'old-1', inputs: 'i' }, 'text');
  writeFileSync(path.join(path.dirname(one), 'note.txt'), '');
  expect(await checkKept(cacheDir, 'new')).toEqual({ outdated: [two], damaged: [] });
  expect(await checkKept(cacheDir)).toEqual({ outdated: [one, two], damaged: [] });
  const sound = readFileSync(one, 'utf8');
  const later = sound.replace('"schemaVersion":1', '"schemaVersion":2');
  for (const text of [`${sound}x`, sound.replace('text', 'test'), sound.slice(0, -1), later, '', 'no line']) {
    writeFileSync(one, text);
    expect(await readKept(one, { build: 'new-1', inputs: 'i' })).toBe(null);
    expect((await checkKept(cacheDir, 'new')).damaged).toEqual([{ file: one, reason: expect.any(String) }]);
  }
});

it('a place that cannot be written costs nothing', async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'calibrated'), 'a file');
  await keep(keptFile(folder, 'one'), key, 'text');
  expect(await readKept(keptFile(folder, 'one'), key)).toBe(null);
});
