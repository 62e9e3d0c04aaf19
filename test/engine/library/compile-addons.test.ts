import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compileProducts, compileReader } from '../../../src/engine/library/compile-addons.js';
import { temporaryFolder } from '../../files/temporary-folder.js';

/** The folder of the package, with a build in it; headers are looked for from there. */
const thePackage = vi.hoisted(() => ({ folder: '' }));
vi.mock(import('../../../src/library/native-versions.js'), async (original) => ({
  ...(await original()),
  nodeLlamaCppFolder: () => thePackage.folder,
}));

const BUILD = 'linux-x64-cuda-1234';
const binaries = () => path.join(thePackage.folder, 'llama', 'localBuilds', BUILD, 'Release');
let linux: PropertyDescriptor;

/** A compiler that keeps what it was asked for, and ends as the script says. */
async function compiler(script: string): Promise<() => Promise<string[]>> {
  const folder = temporaryFolder();
  const file = path.join(folder, 'c++');
  const written = `while [ "$1" != -o ]; do shift; done; echo code > "$2"`;
  await writeFile(file, `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/asked"\n${written}\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('CXX', file);
  return async () => (await readFile(path.join(folder, 'asked'), 'utf8')).split('\n');
}

beforeEach(async () => {
  linux = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  Object.defineProperty(process, 'platform', { value: 'linux' });
  thePackage.folder = temporaryFolder();
  for (const name of ['node-addon-api', 'node-api-headers']) {
    const folder = path.join(thePackage.folder, 'node_modules', name);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'package.json'), '{}');
  }
  await mkdir(binaries(), { recursive: true });
  await writeFile(path.join(binaries(), 'libllama.so'), '');
});
afterEach(() => {
  Object.defineProperty(process, 'platform', linux);
  vi.unstubAllEnvs();
});

describe('compileReader and compileProducts', () => {
  it('compile into the folder of the build, the reader with its library of llama.cpp', async () => {
    const asked = await compiler('exit 0');
    expect(await compileReader('3.22.1', BUILD)).toEqual({ file: `${BUILD}/Release/supportcal-reader-1.node` });
    const args = await asked();
    expect(args.some((arg) => arg.endsWith('src/engine/library/reader.cpp'))).toBe(true);
    expect(await readdir(binaries())).toEqual(['libllama.so', 'supportcal-reader-1.node']);
    expect(args).toContain(path.join(binaries(), 'libllama.so'));
  });

  it('lets llama.cpp see nothing of the choice but what it asks, and link nothing', async () => {
    const asked = await compiler('exit 0');
    expect(await compileProducts('3.22.1', BUILD)).toEqual({ file: `${BUILD}/Release/supportcal-products-1.node` });
    const args = await asked();
    expect(args).toContain('-fvisibility=hidden');
    expect(args.filter((arg) => arg.endsWith('.so'))).toEqual([]);
  });

  it.each([
    ['another release', '3.23.0', 'linux', 'it was made for node-llama-cpp 3.22, this is 3.23.0'],
    ['another system', '3.22.1', 'darwin', 'it was not tried on darwin'],
  ])('make nothing for %s', async (_, release, platform, fault) => {
    await compiler('exit 0');
    Object.defineProperty(process, 'platform', { value: platform });
    expect(await compileReader(release, BUILD)).toEqual({ fault });
    expect(await compileProducts(release, BUILD)).toEqual({ fault });
  });

  it('say what the compiler found, or that there is none', async () => {
    await compiler('echo "napi.h:1: error: no such type" >&2; exit 1');
    expect(await compileProducts('3.22.1', BUILD)).toEqual({ fault: 'napi.h:1: error: no such type' });
    vi.stubEnv('CXX', path.join(thePackage.folder, 'no-compiler'));
    expect(await compileProducts('3.22.1', BUILD)).toEqual({ fault: expect.stringContaining('ENOENT') });
  });

  it('put a file at its place when it is whole, and leave none that is not', async () => {
    const place = path.join(binaries(), 'supportcal-products-1.node');
    const asked = await compiler('exit 1');
    await writeFile(place, 'of before');
    expect(await compileProducts('3.22.1', BUILD)).toHaveProperty('fault');
    expect(await asked()).not.toContain(place);
    expect(await readFile(place, 'utf8')).toBe('of before');
    expect(await readdir(binaries())).toEqual(['libllama.so', 'supportcal-products-1.node']);
    await compiler('exit 0');
    await compileProducts('3.22.1', BUILD);
    expect(await readFile(place, 'utf8')).toBe('code\n');
  });

  it('make no reader for a build that has no library of llama.cpp by itself', async () => {
    await compiler('exit 0');
    expect(await compileReader('3.22.1', 'another')).toEqual({ fault: expect.stringContaining('another') });
    await mkdir(path.join(thePackage.folder, 'llama', 'localBuilds', 'static', 'Release'), { recursive: true });
    const fault = 'the build has no library of llama.cpp by itself';
    expect(await compileReader('3.22.1', 'static')).toEqual({ fault });
  });
});
