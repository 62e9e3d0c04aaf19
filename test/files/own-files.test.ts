import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ownBuild, ownModule, packageFile } from '../../src/files/own-files.js';

it('names a build by the folder of its files, and sources not at all', () => {
  expect(ownBuild('file:///x/dist/0123456789abcdef/worker.js')).toBe('0123456789abcdef');
  const others = ['dist/0123456789abcde/a.js', 'dist/x0123456789abcdef/a.js', '0123456789abcdef/src/a.js', 'src/a.ts'];
  expect(others.map((place) => ownBuild(`file:///x/${place}`))).toEqual([null, null, null, null]);
  expect(ownBuild()).toBe(null);
});

it('finds its own modules, and files of the package', () => {
  expect([ownModule('engine/worker'), packageFile('package.json')].map((url) => existsSync(url))).toEqual([true, true]);
});
