import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string; resolved?: string; optionalDependencies?: Record<string, string> }>;
};

it('locks the binaries of every platform, also those that the machine which wrote the lock file could not fetch', () => {
  // `npm install` drops an optional package that does not answer, and then `npm ci` refuses the lock file.
  const wanted = lock.packages['node_modules/node-llama-cpp']!.optionalDependencies!;
  const binaries = Object.entries(wanted).filter(([name]) => name.startsWith('@node-llama-cpp/'));
  expect(binaries.length).toBeGreaterThan(10);
  for (const [name, version] of binaries)
    expect([name, lock.packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
});

it('names no registry', () => {
  expect(Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)).toEqual([]);
});
