import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listEntries } from '../../src/cache/list-entries.js';
import { listStaleFiles, removeStaleFile, sweepFinishedEntries } from '../../src/cache/stale-files.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { completeEntry, partialEntry, testKey } from './cache-fixture.js';
import { testRow } from './test-ingredients.js';

const key = testKey();
const LONG_AGO = new Date(Date.now() - 7_200_000);

describe('stale files of a cache', () => {
  it('are those that killed runs left, each with what it is; what is young, or has another name, is not looked at', async () => {
    const cacheDir = await completeEntry(key, testRow);
    const stale = {
      '.x.json.4194305-0123456789ab.tmp': 'a temporary file',
      'backends.json.4194305.tmp': 'a temporary file',
      [`${key.name}.lock`]: 'the lock of a run that is gone',
      [`${key.name}.takeover.lock`]: 'the lock of a run that is gone',
      'gone-0123456789ab.owner': 'the note of a lock that is gone',
      [`${key.name}.parts`]: 'the parts of an entry that is complete',
      [`${key.name}.0123456789ab.arrow`]: 'an earlier import',
    };
    const kept = [
      '.y.json.4194305-0123456789ab.tmp',
      `${key.name}x.arrow`,
      'other-0123456789ab.lock',
      'note.tmp',
      'a.lock',
    ];
    for (const name of [...Object.keys(stale), ...kept]) {
      if (/lock$|parts$/.test(name)) mkdirSync(join(cacheDir, name));
      else writeFileSync(join(cacheDir, name), '');
      if (!/^\.y|^other/.test(name)) utimesSync(join(cacheDir, name), LONG_AGO, LONG_AGO);
    }
    const found = await listStaleFiles(cacheDir, await listEntries(cacheDir));
    const named = Object.fromEntries(found.map(({ file, what }) => [basename(file), what]));
    expect(named).toEqual(stale);
    for (const each of found.filter(({ file }) => !file.endsWith(`${key.name}.lock`)))
      expect(await removeStaleFile(each)).toBe(true);
    expect(readdirSync(cacheDir).sort()).toEqual(
      [`${key.name}.arrow`, `${key.name}.json`, `${key.name}.lock`, ...kept].sort(),
    );
    expect(await listStaleFiles(join(cacheDir, 'none'), [])).toEqual([]);
  });

  it('are not the parts of an entry that grows, nor those of one that is damaged', async () => {
    const cacheDir = await partialEntry(key, testRow);
    expect(await listStaleFiles(cacheDir, await listEntries(cacheDir))).toEqual([]);
    writeFileSync(join(cacheDir, `${key.name}.json`), '{');
    await sweepFinishedEntries(cacheDir);
    await sweepFinishedEntries(join(temporaryFolder(), 'none'));
    expect(readdirSync(cacheDir)).toContain(`${key.name}.parts`);
  });
});
