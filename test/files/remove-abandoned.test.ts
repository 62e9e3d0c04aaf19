import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { removeAbandoned } from '../../src/files/remove-abandoned.js';
import { isAbandoned, temporaryPath } from '../../src/files/temporary-path.js';
import { temporaryFolder } from '../files/temporary-folder.js';

const DEAD = 2 ** 22 + 1;

it('removes the temporary files of runs that are gone, not those of live ones, nor anything of another name', async () => {
  const folder = temporaryFolder();
  const ours = path.basename(temporaryPath(path.join(folder, 'results.json')));
  const old = path.basename(temporaryPath(path.join(folder, 'old.json')));
  const others = ['results.json', '.hidden', `results.json.${DEAD}-0123456789ab.tmp`, `.x.${DEAD}.tmp`];
  for (const name of [ours, old, ...others, `.results.json.${DEAD}-0123456789ab.tmp`])
    writeFileSync(path.join(folder, name), '');
  const longAgo = new Date(Date.now() - 7_200_000);
  utimesSync(path.join(folder, old), longAgo, longAgo);
  mkdirSync(path.join(folder, `.folder.${DEAD}-0123456789ab.tmp`));
  expect(await isAbandoned(path.join(folder, 'missing'))).toBe(false);
  await removeAbandoned(folder, path.join(folder, 'missing'));
  expect(readdirSync(folder).sort()).toEqual([ours, `.folder.${DEAD}-0123456789ab.tmp`, ...others].sort());
});
