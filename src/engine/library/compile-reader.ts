import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageFile } from '../../files/own-files.js';
import { type CompiledReader, localBuilds } from '../../library/library-build.js';
import { nodeLlamaCppFolder } from '../../library/native-versions.js';

/** The release whose native objects `reader.cpp` knows. */
const KNOWN = /^3\.22\./;
/** Its number is part of the key of every row that it reads: a new one when the arithmetic of `reader.cpp` changes. */
const NAME = 'supportcal-reader-1.node';
const FLAGS = [
  '-std=c++17',
  '-O3',
  '-march=native',
  '-fno-math-errno',
  '-fno-trapping-math',
  '-fPIC',
  '-shared',
  '-Wl,-rpath,$ORIGIN',
];

/** Compiles `reader.cpp` for a build of llama.cpp on this machine: a second or two of the C++ compiler. */
export async function compileReader(release: string, folder: string): Promise<CompiledReader> {
  if (!KNOWN.test(release)) return { fault: `it was made for node-llama-cpp 3.22, this is ${release}` };
  if (process.platform !== 'linux') return { fault: `it was not tried on ${process.platform}` };
  const binaries = path.join(localBuilds(), folder, 'Release');
  try {
    const library = (await readdir(binaries)).find((name) => /^libllama\.(.+\.)?so$/.test(name));
    if (library === undefined) return { fault: 'the build has no library of llama.cpp by itself' };
    const includes = includeFolders().flatMap((each) => ['-I', each]);
    const source = packageFile('src/engine/library/reader.cpp');
    const file = path.join(binaries, NAME);
    const args = [...FLAGS, '-DNAPI_VERSION=7', ...includes, source.pathname, '-o', file, path.join(binaries, library)];
    await promisify(execFile)(process.env.CXX || 'c++', args, { maxBuffer: 2 ** 26 });
    return { file: `${folder}/Release/${NAME}` };
  } catch (error) {
    const said = (error as { readonly stderr?: string }).stderr || String(error);
    return { fault: said.split('\n').find((line) => /error/i.test(line)) ?? said.slice(0, 200) };
  }
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
