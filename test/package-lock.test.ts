import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<
    string,
    {
      version?: string;
      resolved?: string;
      engines?: { node?: string };
      optionalDependencies?: Record<string, string>;
    }
  >;
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

it('has no package that asks for a later Node than this one does', () => {
  const least = /^>=(\d+)$/.exec(lock.packages['']!.engines!.node!)![1];
  const allows = (range: string) =>
    range.split('||').some((part) => {
      const [, sign, major] = /^(>=|\^)?\s*(\d+)/.exec(part.trim()) ?? [];
      return major === undefined || Number(major) === Number(least) || (sign === '>=' && Number(major) < Number(least));
    });
  const others = Object.entries(lock.packages).filter(([, { engines }]) => !allows(engines?.node ?? '*'));
  expect(others.map(([name, { engines }]) => `${name}: ${engines?.node}`)).toEqual([]);
});
