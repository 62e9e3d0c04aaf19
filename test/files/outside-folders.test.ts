import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { outsideFolders, reallyOutsideFolders } from '../../src/files/outside-folders.js';
import { temporaryFolder } from './temporary-folder.js';

describe('outsideFolders', () => {
  it.each<[string, string[], boolean]>([
    ['/a/b/file', ['/a/b'], false],
    ['/a/b', ['/a/b'], false],
    ['/a/b/../b/file', ['/a/b'], false],
    ['/a/b/..name', ['/a/b'], false],
    ['/a/bc/file', ['/a/b'], true],
    ['/a', ['/a/b'], true],
    ['/a/b/../file', ['/a/b'], true],
    ['/c/file', ['/a/b', '/c'], false],
    ['/c/file', [], true],
  ])('%s of %j: %j, by the name alone', (file, folders, outside) => {
    expect(outsideFolders(file, folders)).toBe(outside);
  });

  it('follows links where it is asked to; what is not there counts by its name', async () => {
    const root = temporaryFolder();
    for (const name of ['in', 'out']) mkdirSync(path.join(root, name));
    symlinkSync(path.join(root, 'out'), path.join(root, 'in', 'link'));
    symlinkSync(path.join(root, 'in'), path.join(root, 'also-in'));
    const [inside, link] = [path.join(root, 'in'), path.join(root, 'in', 'link')];
    expect([outsideFolders(link, [inside]), await reallyOutsideFolders(link, [inside])]).toEqual([false, true]);
    expect(await reallyOutsideFolders(inside, [path.join(root, 'also-in')])).toBe(false);
    expect(await reallyOutsideFolders(path.join(inside, 'none'), [inside])).toBe(false);
    expect(await reallyOutsideFolders(path.join(root, 'none'), [inside])).toBe(true);
  });
});
