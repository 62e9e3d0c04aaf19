import { existsSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  askForBuild,
  buildVariables,
  cardProducts,
  forgetBuild,
  kernelsOf,
  productsFile,
  readerFile,
} from '../../../src/library/chosen-build.js';
import { buildState } from '../../../src/library/library-build.js';
import { removeBuild, type SetupOptions } from '../../../src/pipeline/setup/make-build.js';
import { setupCpu } from '../../../src/pipeline/setup/setup-cpu.js';
import { setupGpu } from '../../../src/pipeline/setup/setup-gpu.js';
import { buildLibrary } from '../../../src/scoring/setup/build-library.js';
import { temporaryFolder } from '../../files/temporary-folder.js';

/** The folder of the package stands elsewhere: nothing in node_modules is touched. */
const thePackage = vi.hoisted(() => ({ folder: '' }));
vi.mock(import('../../../src/library/native-versions.js'), async (original) => ({
  ...(await original()),
  nodeLlamaCppFolder: () => thePackage.folder,
}));

const processor = vi.hoisted(() => ({ name: 'EPYC' }));
vi.mock(import('../../../src/library/processor-name.js'), () => ({ processorName: () => processor.name }));

const CARD = 'NVIDIA H200, 9.0, 580.159.04';
const TOOLS: Record<string, string> = {
  'nvidia-smi': `case "$1" in --query*) echo "${CARD}";; *) echo "| Driver Version: 580.159 CUDA Version: 13.0 |";; esac`,
  git: 'echo git version 2.43',
  cmake: 'echo cmake version 3.28.1',
  ninja: 'echo 1.11',
  'c++': 'echo "c++ (Debian 12.2.0-14+deb12u1) 12.2.0"',
  nvcc: 'echo Cuda compilation tools, release 13.0, V13.0.88',
  node: 'echo v20',
  npm: 'echo 10',
};

/** A machine that has these tools and no others. */
async function machine(tools: Record<string, string | null> = {}): Promise<NodeJS.ProcessEnv> {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries({ ...TOOLS, ...tools })) {
    if (script !== null) await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  return { PATH: folder, XDG_CACHE_HOME: path.join(folder, 'caches') };
}

const FOLDER = 'linux-x64-cuda-1234';
const builtFolder = () => path.join(thePackage.folder, 'llama', 'localBuilds', FOLDER);
/** Files of our own beside the build, among the local builds. */
const own = (part: string) => `${FOLDER}/Release/supportcal-${part}-1.node`;
const build: NonNullable<SetupOptions['build']> = async ({ onProgress }) => {
  onProgress(3, 3);
  return { ok: true, folder: FOLDER, made: true, seconds: 2, reader: { fault: 'no headers' } };
};
const works: NonNullable<SetupOptions['probe']> = async () => ({ ok: true, device: 'NVIDIA H200' });

beforeEach(async () => {
  thePackage.folder = temporaryFolder();
  await mkdir(path.join(builtFolder(), 'Release'), { recursive: true });
  for (const part of ['reader', 'products'])
    await writeFile(path.join(thePackage.folder, 'llama', 'localBuilds', own(part)), '');
  await writeFile(path.join(thePackage.folder, 'llama', 'gitRelease.bundle'), '');
  await writeFile(path.join(builtFolder(), 'buildDone.status'), '');
  forgetBuild();
});
afterEach(() => {
  vi.unstubAllEnvs();
  forgetBuild();
});

describe('setupGpu', () => {
  it('builds for the card, tries the build alone, and records what decides its kernels', async () => {
    const environment = await machine();
    const asked: unknown[] = [];
    const outcome = await setupGpu({
      environment,
      build: async (request) => {
        asked.push(request.cmake);
        return build(request);
      },
      probe: async (device, _, variables) => {
        asked.push(device, JSON.parse(variables?.SUPPORTCAL_BUILD ?? '')[0].cmake);
        return { ok: true, device: 'NVIDIA H200' };
      },
    });
    const cmake = { GGML_CUDA_FORCE_CUBLAS: 'ON', CMAKE_CUDA_ARCHITECTURES: '90' };
    expect(outcome).toMatchObject({
      kind: 'built',
      made: true,
      build: { cmake, compiler: 'CUDA 13.0', folder: FOLDER },
    });
    expect(asked).toEqual([cmake, 'cuda', cmake]);
    vi.stubEnv('XDG_CACHE_HOME', environment.XDG_CACHE_HOME);
    expect(kernelsOf('cuda')).toBe('CMAKE_CUDA_ARCHITECTURES=90 GGML_CUDA_FORCE_CUBLAS=ON CUDA 13.0');
    expect(kernelsOf('cpu')).toBeNull();
  });

  it.each([
    ['is gone, as after `npm ci`', 'gone', () => rmSync(builtFolder(), { recursive: true })],
    ['is refused for one command', 'refused', () => vi.stubEnv('SUPPORTCAL_BUILD', 'prebuilt')],
  ])('has no part in a run when it %s', async (_, kind, change) => {
    const environment = await machine();
    await setupGpu({ environment, build, probe: works });
    vi.stubEnv('XDG_CACHE_HOME', environment.XDG_CACHE_HOME);
    expect(buildState('cuda').kind).toBe('used');
    change();
    expect(buildState('cuda').kind).toBe(kind);
    forgetBuild();
    expect(kernelsOf('cuda')).toBeNull();
    expect(buildVariables()).toEqual({ SUPPORTCAL_BUILD: 'prebuilt' });
  });

  it('takes its own choice of products and its own reader, or goes without what cannot be made or fails', async () => {
    const environment = await machine();
    vi.stubEnv('XDG_CACHE_HOME', environment.XDG_CACHE_HOME);
    const [reader, products] = [own('reader'), own('products')];
    const made = (parts: object): typeof build => {
      return async (request) => ({ ...(await build(request)), ...parts }) as never;
    };
    const both = made({ reader: { file: reader }, products: { file: products } });
    const unless = (...parts: string[]): typeof works => {
      return async (_device, _model, told) => {
        const fails = parts.find((part) => told?.SUPPORTCAL_BUILD?.includes(`supportcal-${part}`));
        return fails === undefined ? { ok: true, device: 'NVIDIA H200' } : { ok: false, reason: `no ${fails}` };
      };
    };
    const plain = 'CMAKE_CUDA_ARCHITECTURES=90 GGML_CUDA_FORCE_CUBLAS=ON CUDA 13.0';
    const attempt = async (made: typeof build, probe: typeof works) => {
      const outcome = await setupGpu({ environment, build: made, probe });
      const { readerFault, productsFault } = Object(outcome) as Record<string, unknown>;
      return [readerFault, productsFault, kernelsOf('cuda')];
    };
    expect(await attempt(both, works)).toEqual([null, null, `${plain} supportcal-reader-1 supportcal-products-1`]);
    expect(cardProducts()).toEqual({ cublas: true, chosen: true });
    expect(productsFile('cuda')).toBe(path.join(thePackage.folder, 'llama', 'localBuilds', products));
    const variables = buildVariables();
    expect(await attempt(both, unless('products'))).toEqual([null, 'no products', `${plain} supportcal-reader-1`]);
    expect(cardProducts()).toEqual({ cublas: true, chosen: false });
    expect(await attempt(both, unless('reader'))).toEqual(['no reader', null, `${plain} supportcal-products-1`]);
    expect(await attempt(both, unless('reader', 'products'))).toEqual(['no reader', 'no products', plain]);
    const without = made({ reader: { file: reader }, products: { fault: 'no headers' } });
    expect(await attempt(without, works)).toEqual([null, 'no headers', `${plain} supportcal-reader-1`]);
    // A child loads what its parent has settled, and nothing from outside the builds.
    forgetBuild();
    vi.stubEnv('SUPPORTCAL_BUILD', variables.SUPPORTCAL_BUILD);
    expect(productsFile('cuda')).not.toBeNull();
    forgetBuild();
    for (const other of [`"${products.replace('supportcal-products-1', '../other')}"`, `["${products}"]`, 'null']) {
      forgetBuild();
      vi.stubEnv('SUPPORTCAL_BUILD', variables.SUPPORTCAL_BUILD?.replace(`"${products}"`, other));
      expect(() => productsFile('cuda')).toThrow('SUPPORTCAL_BUILD');
    }
  });

  // Making it anew may end between llama.cpp and our own code.
  it.each(['reader', 'products'])('is gone without the file of its %s', async (part) => {
    const environment = await machine();
    const parts = { reader: { file: own('reader') }, products: { file: own('products') } };
    const both: typeof build = async (request) => ({ ...(await build(request)), ...parts }) as never;
    await setupGpu({ environment, build: both, probe: works });
    expect(buildState('cuda', environment).kind).toBe('used');
    rmSync(path.join(thePackage.folder, 'llama', 'localBuilds', own(part)));
    expect(buildState('cuda', environment).kind).toBe('gone');
  });

  it('leaves the products of a card on which cuBLAS was not measured to llama.cpp, unless told otherwise', async () => {
    const older = `case "$1" in --query*) echo "${CARD.replace('9.0', '8.6')}"; esac`;
    const options = { environment: await machine({ 'nvidia-smi': older }), build, probe: works };
    const first = await setupGpu(options);
    expect(first).toMatchObject({ build: { cmake: { CMAKE_CUDA_ARCHITECTURES: '86' } } });
    expect(JSON.stringify(first)).not.toContain('CUBLAS');
    const second = await setupGpu({ ...options, products: 'cublas' });
    expect(second).toMatchObject({ build: { cmake: { GGML_CUDA_FORCE_CUBLAS: 'ON' } } });
  });

  it('keeps the day of a build that was there', async () => {
    const environment = await machine();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-02') });
    await setupGpu({ environment, build, probe: works });
    vi.setSystemTime(new Date('2026-03-04'));
    const day = async (made: boolean) => {
      const there: typeof build = async (request) => ({ ...(await build(request)), made }) as never;
      return (await setupGpu({ environment, build: there, probe: works })) as { build: { builtAt: string } };
    };
    expect((await day(false)).build.builtAt).toContain('2026-01-02');
    expect((await day(true)).build.builtAt).toContain('2026-03-04');
    vi.useRealTimers();
  });

  it('builds for each kind of several cards', async () => {
    const two = `case "$1" in --query*) echo "${CARD}"; echo "NVIDIA L4, 8.9, 580.159.04"; esac`;
    const outcome = await setupGpu({ environment: await machine({ 'nvidia-smi': two }), build, probe: works });
    expect(outcome).toMatchObject({ build: { card: 'NVIDIA H200, NVIDIA L4' } });
    expect(outcome).toMatchObject({ build: { cmake: { CMAKE_CUDA_ARCHITECTURES: '89;90' } } });
  });

  it('names every tool that is missing with what to install, and builds nothing', async () => {
    const never: SetupOptions['build'] = async () => {
      throw new Error('it must not come to this');
    };
    const environment = await machine({ git: null, ninja: null, nvcc: null, cmake: 'echo cmake version 3.10.2' });
    const outcome = await setupGpu({ environment, build: never });
    expect(outcome).toEqual({
      kind: 'missing',
      reasons: [
        'git is not found: apt-get install git',
        'ninja or make is not found: apt-get install ninja-build',
        'cmake is 3.10, needed is 3.19 or later: pip install cmake has a current one',
        expect.stringMatching(/^nvcc is not found: install NVIDIA's CUDA toolkit of release 13.0 or earlier/),
      ],
    });
  });

  it('refuses a compiler that makes kernels which the driver cannot run', async () => {
    const environment = await machine({ nvcc: 'echo Cuda compilation tools, release 14.1' });
    const outcome = await setupGpu({ environment, build });
    expect(outcome).toMatchObject({ kind: 'missing', reasons: [expect.stringContaining('nvcc is 14.1')] });
  });

  it('says that there is nothing to build for without a card', async () => {
    const outcome = await setupGpu({ environment: await machine({ 'nvidia-smi': null }), build });
    expect(outcome).toMatchObject({ kind: 'no-card' });
  });

  it('takes a build back that does not decode: runs go on as before', async () => {
    const environment = await machine();
    const probe: SetupOptions['probe'] = async () => ({ ok: false, reason: 'no kernel image' });
    const outcome = await setupGpu({ environment, build, probe });
    expect(outcome).toMatchObject({ kind: 'failed', reasons: [expect.stringContaining('no kernel image')] });
    expect(existsSync(builtFolder())).toBe(false);
    expect(buildState('cuda', environment)).toEqual({ kind: 'none' });
  });

  it('leaves a build that runs take where it was, when it is tried once more and fails', async () => {
    const environment = await machine();
    const fails: typeof works = async () => ({ ok: false, reason: 'out of memory' });
    const before: typeof build = async (request) => ({ ...(await build(request)), made: false }) as never;
    await setupGpu({ environment, build, probe: works });
    const outcome = await setupGpu({ environment, build: before, probe: fails });
    expect(outcome).toMatchObject({
      kind: 'failed',
      reasons: [expect.stringMatching(/stays: out of memory/), expect.stringMatching(/--again.*--remove/)],
    });
    expect(buildState('cuda', environment).kind).toBe('used');
    // One that no run takes, or that was made anew, is removed.
    await setupGpu({ environment, build, probe: fails });
    expect(buildState('cuda', environment).kind).toBe('gone');
  });

  it('can be taken back', async () => {
    const environment = await machine();
    await setupGpu({ environment, build, probe: works });
    expect(await removeBuild('cuda', environment)).toBe(true);
    expect(await removeBuild('cuda', environment)).toBe(false);
    expect(existsSync(builtFolder())).toBe(false);
  });
});

describe('setupCpu', () => {
  const cpu = { environment: {}, build, probe: works } satisfies SetupOptions;

  it('builds for this processor, tries the build there, and keys rows on the CPU and no others by it', async () => {
    const environment = await machine({ nvcc: null, 'nvidia-smi': null });
    const asked: unknown[] = [];
    const outcome = await setupCpu({
      environment,
      build: async (request) => {
        asked.push(request.device, request.cmake);
        return build(request);
      },
      probe: async (device, _, variables) => {
        asked.push(device, JSON.parse(variables?.SUPPORTCAL_BUILD ?? ''));
        return { ok: true, device: 'cpu' };
      },
    });
    const cmake = { GGML_NATIVE: 'ON', GGML_OPENMP: 'OFF' };
    const told = { device: 'cpu', cmake, variables: {}, compiler: 'GCC 12.2.0 for EPYC' };
    expect(asked).toEqual(['cpu', cmake, 'cpu', [told]]);
    expect(outcome).toMatchObject({ kind: 'built', build: { ...told, card: 'EPYC' } });
    vi.stubEnv('XDG_CACHE_HOME', environment.XDG_CACHE_HOME);
    expect(kernelsOf('cpu')).toBe('GGML_NATIVE=ON GGML_OPENMP=OFF GCC 12.2.0 for EPYC');
    expect(kernelsOf('cuda')).toBeNull();
    expect(askForBuild('cpu')).toEqual({ cmakeOptions: cmake, existingPrebuiltBinaryMustMatchBuildOptions: true });
    // What a child is told gives it the same kernels.
    const variables = buildVariables();
    forgetBuild();
    vi.stubEnv('SUPPORTCAL_BUILD', variables.SUPPORTCAL_BUILD);
    vi.stubEnv('XDG_CACHE_HOME', temporaryFolder());
    expect(kernelsOf('cpu')).toBe('GGML_NATIVE=ON GGML_OPENMP=OFF GCC 12.2.0 for EPYC');
  });

  it('takes its own reader of logits, which is part of the kernels, or goes without one that fails', async () => {
    const environment = await machine();
    vi.stubEnv('XDG_CACHE_HOME', environment.XDG_CACHE_HOME);
    const file = own('reader');
    const made: SetupOptions['build'] = async (request) => ({ ...(await build(request)), reader: { file } }) as never;
    expect(await setupCpu({ ...cpu, environment, build: made })).toMatchObject({ readerFault: null });
    expect(kernelsOf('cpu')).toBe('GGML_NATIVE=ON GGML_OPENMP=OFF GCC 12.2.0 for EPYC supportcal-reader-1');
    expect(readerFile('cpu')).toBe(path.join(thePackage.folder, 'llama', 'localBuilds', file));
    const variables = buildVariables();
    const fails: SetupOptions['probe'] = async (_device, _model, told) =>
      told?.SUPPORTCAL_BUILD?.includes('reader') ? { ok: false, reason: 'no' } : { ok: true, device: 'cpu' };
    const second = await setupCpu({ ...cpu, environment, build: made, probe: fails });
    expect(second).toMatchObject({ kind: 'built', readerFault: 'no' });
    expect([kernelsOf('cpu'), readerFile('cpu')]).toEqual(['GGML_NATIVE=ON GGML_OPENMP=OFF GCC 12.2.0 for EPYC', null]);
    // A child loads what its parent has settled, and nothing from outside the builds.
    forgetBuild();
    vi.stubEnv('SUPPORTCAL_BUILD', variables.SUPPORTCAL_BUILD);
    expect(readerFile('cpu')).not.toBeNull();
    forgetBuild();
    vi.stubEnv('SUPPORTCAL_BUILD', variables.SUPPORTCAL_BUILD?.replace(FOLDER, '../elsewhere'));
    expect(() => readerFile('cpu')).toThrow('SUPPORTCAL_BUILD');
  });

  it('lies beside a build for cards, and each can be taken back alone', async () => {
    const environment = await machine();
    await setupGpu({ ...cpu, environment });
    await setupCpu({ ...cpu, environment });
    vi.stubEnv('XDG_CACHE_HOME', environment.XDG_CACHE_HOME);
    expect([kernelsOf('cuda'), kernelsOf('cpu')]).toEqual([
      'CMAKE_CUDA_ARCHITECTURES=90 GGML_CUDA_FORCE_CUBLAS=ON CUDA 13.0',
      expect.stringContaining('GCC'),
    ]);
    expect(JSON.parse(buildVariables().SUPPORTCAL_BUILD ?? '')).toHaveLength(2);
    await removeBuild('cpu', environment);
    expect([buildState('cpu').kind, buildState('cuda').kind]).toEqual(['none', 'gone']);
  });

  it('is not taken on a processor that may lack its instructions, nor after `npm ci`', async () => {
    const environment = await machine();
    await setupCpu({ ...cpu, environment });
    expect(buildState('cpu', environment).kind).toBe('used');
    processor.name = 'another';
    expect(buildState('cpu', environment).kind).toBe('foreign');
    processor.name = 'EPYC';
    rmSync(builtFolder(), { recursive: true });
    expect(buildState('cpu', environment).kind).toBe('gone');
  });

  it.each([
    ['c++ (Ubuntu 11.4.0-1ubuntu1~22.04.3) 11.4.0', 'the compiler is GCC 11.4.0, by which a build is no faster'],
    ['Debian clang version 14.0.6', null],
    ['g++-13 (GCC) 13.2.1 20230801', null],
  ])('looks at the compiler, which makes the difference: %s', async (said, fault) => {
    const outcome = await setupCpu({ ...cpu, environment: await machine({ 'c++': `echo "${said}"` }) });
    expect(outcome).toMatchObject(
      fault === null ? { kind: 'built' } : { kind: 'missing', reasons: [expect.stringContaining(fault)] },
    );
  });

  it.each([
    [{ CC: 'mine -m64' }, null],
    [{ CC: 'odd' }, 'CC names no compiler: "odd"'],
    [{ CC: 'mine', CXX: 'not-there' }, 'CXX names no compiler: "not-there"'],
  ])('refuses what the environment names and is no compiler, before cmake does: %j', async (named, fault) => {
    const programs = { mine: 'echo x86_64-linux-gnu', odd: 'echo hello world' };
    const outcome = await setupCpu({ ...cpu, environment: { ...(await machine(programs)), ...named } });
    expect(outcome).toMatchObject(
      fault === null
        ? { kind: 'built' }
        : { kind: 'missing', reasons: expect.arrayContaining([expect.stringContaining(fault)]) },
    );
  });
});

describe('buildLibrary', () => {
  const script = async (text: string) => {
    const file = path.join(temporaryFolder(), 'build.mjs');
    await writeFile(file, text);
    return pathToFileURL(file);
  };

  it('tells how many files are compiled, and passes on no option of the environment', async () => {
    const module = await script(
      `process.stderr.write('[1/3] a.o\\n[2/3] b.o\\n', () => process.send({ ok: true, folder: process.argv[2] + process.argv[3], ` +
        `made: process.argv[4] === 'again', seconds: Number(process.env.NODE_LLAMA_CPP_CMAKE_OPTION_X ?? 7) }));`,
    );
    const seen: number[][] = [];
    const environment = { ...process.env, NODE_LLAMA_CPP_CMAKE_OPTION_X: '1' };
    const request = { device: 'cpu', cmake: { A: 'B' }, environment, again: true, module } as const;
    const result = await buildLibrary({ ...request, onProgress: (done, of) => seen.push([done, of]) });
    expect(result).toEqual({ ok: true, folder: 'cpu{"A":"B"}', made: true, seconds: 7 });
    expect(seen).toEqual([[2, 3]]);
  });

  it('says what the compiler found when it fails', async () => {
    const module = await script(
      `process.stderr.write('mmq.cu(7): error: no such thing\\nmore\\n', () => process.exit(1));`,
    );
    const request = { device: 'cuda', cmake: {}, environment: process.env, again: false, module } as const;
    const result = await buildLibrary({ ...request, onProgress() {} });
    expect(result).toEqual({ ok: false, reason: 'it ended: exit code 1; mmq.cu(7): error: no such thing' });
  });
});
