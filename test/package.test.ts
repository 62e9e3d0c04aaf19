import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const { version, files } = JSON.parse(read('package.json')) as { version: string; files: string[] };

describe('the Dockerfiles', () => {
  it.each(['Dockerfile', 'docker/cuda.Dockerfile'])(
    '%s: copies what is here, and all that the package ships',
    (file) => {
      const copied = [...read(file).matchAll(/^COPY (--from=build )?(.+) \S+$/gm)].map(([, built, names]) =>
        (names ?? '').split(' ').map((name) => (built === undefined ? name : path.posix.relative('/package', name))),
      );
      expect(copied.length).toBeGreaterThan(8);
      const all = new Set(copied.flat());
      const made = ['dist', 'node_modules', '../usr/local/bin/node'];
      expect([...all].filter((name) => !existsSync(path.join(root, name)) && !made.includes(name))).toEqual([]);
      const shipped = files.filter((name) => !/^!|^docs$|\.md$/.test(name)).map((name) => name.replace(/\/\*.*$/, ''));
      expect(shipped.filter((name) => !all.has(name))).toEqual([]);
    },
  );
});

it('the citation has the version of the package', () => {
  expect(read('CITATION.cff')).toContain(`\nversion: ${version}\n`);
});
