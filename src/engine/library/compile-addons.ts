import { execFile } from 'node:child_process';
import { readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageFile } from '../../files/own-files.js';
import { type CompiledAddon, localBuilds } from '../../library/library-build.js';
import { nodeLlamaCppFolder } from '../../library/native-versions.js';

/** The release whose native objects `reader.cpp` knows, and whose llama.cpp asks what `products.cpp` answers. */
const KNOWN = /^3\.22\./;
/**
 * Their numbers are part of the key of every row: a new one when the arithmetic of `reader.cpp`, or what `products.cpp`
 * answers, changes.
 */
const READER = 'supportcal-reader-1.node';
const PRODUCTS = 'supportcal-products-1.node';
const FLAGS = ['-std=c++17', '-O3', '-fPIC', '-shared', '-DNAPI_VERSION=7'];
const ARITHMETIC = ['-march=native', '-fno-math-errno', '-fno-trapping-math', '-Wl,-rpath,$ORIGIN'];

/** Compiles `reader.cpp` for a build of llama.cpp on this machine: a second or two of the C++ compiler. */
export function compileReader(release: string, folder: string): Promise<CompiledAddon> {
  return compileAddon(release, folder, async (binaries) => {
    const library = (await readdir(binaries)).find((name) => /^libllama\.(.+\.)?so$/.test(name));
    if (library === undefined) return { fault: 'the build has no library of llama.cpp by itself' };
    return { source: 'reader.cpp', name: READER, args: [...ARITHMETIC, path.join(binaries, library)] };
  });
}

/** Compiles `products.cpp` for a build with cuBLAS products. Nothing but what llama.cpp asks is to be seen by it. */
export function compileProducts(release: string, folder: string): Promise<CompiledAddon> {
  return compileAddon(release, folder, async () => ({
    source: 'products.cpp',
    name: PRODUCTS,
    args: ['-fvisibility=hidden'],
  }));
}

interface Addon {
  readonly source: string;
  readonly name: string;
  readonly args: readonly string[];
}

async function compileAddon(
  release: string,
  folder: string,
  describe: (binaries: string) => Promise<Addon | { readonly fault: string }>,
): Promise<CompiledAddon> {
  if (!KNOWN.test(release)) return { fault: `it was made for node-llama-cpp 3.22, this is ${release}` };
  if (process.platform !== 'linux') return { fault: `it was not tried on ${process.platform}` };
  const binaries = path.join(localBuilds(), folder, 'Release');
  const partial = path.join(binaries, `compiling-${process.pid}.node`);
  try {
    const addon = await describe(binaries);
    if ('fault' in addon) return addon;
    const { source, name, args } = addon;
    const file = packageFile(`src/engine/library/${source}`).pathname;
    const [compiler, command] = compileCommand(file, partial, args);
    await promisify(execFile)(compiler, command, { maxBuffer: 2 ** 26 });
    // Loading half a file ends the process, so that none is ever at its place.
    await rename(partial, path.join(binaries, name));
    return { file: `${folder}/Release/${name}` };
  } catch (error) {
    await rm(partial, { force: true });
    const said = (error as { readonly stderr?: string }).stderr || String(error);
    return { fault: said.split('\n').find((line) => /error/i.test(line)) ?? said.slice(0, 200) };
  }
}

/** The C++ compiler and its arguments for native code that Node loads. */
export function compileCommand(
  source: string,
  out: string,
  more: readonly string[],
): readonly [compiler: string, args: string[]] {
  const includes = includeFolders().flatMap((each) => ['-I', each]);
  return [process.env.CXX || 'c++', [...FLAGS, ...includes, source, '-o', out, ...more]];
}

/** Headers of the library's binding, of llama.cpp that the build was made from, and of Node's interface. */
function includeFolders(): string[] {
  const sources = path.join(nodeLlamaCppFolder(), 'llama');
  const require = createRequire(path.join(nodeLlamaCppFolder(), 'package.json'));
  const folderOf = (name: string) => path.dirname(require.resolve(`${name}/package.json`));
  return [
    path.join(sources, 'addon'),
    path.join(sources, 'llama.cpp', 'include'),
    path.join(sources, 'llama.cpp', 'ggml', 'include'),
    folderOf('node-addon-api'),
    path.join(folderOf('node-api-headers'), 'include'),
  ];
}
