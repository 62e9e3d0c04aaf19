import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin as BuildPlugin } from 'esbuild';
import type { Plugin } from 'vite';
import type { TestProject } from 'vitest/node';

export { ownBuild, packageFile } from '../src/files/own-files.js';

/** Folder of the built sources, and of the built modules of tests. */
const [SOURCES, TESTS] = ['SUPPORTCAL_TESTED_BUILD', 'SUPPORTCAL_TESTS_BUILD'];

/** Modules of tests that a thread or a child process runs, by their path inside `test` without ending. */
const STARTED = [
  'cache/memory-child',
  'cache/score-child',
  'engine/stub-backend',
  'fuzz/fuzz-worker',
  'scoring/garbage-backend',
  'scoring/garbling-llama-backend',
  'scoring/slow-backend',
  'scoring/visible-backend',
] as const;

/**
 * Builds what threads and child processes run before the tests begin. A source that another process starts needs tsx,
 * which takes longer there than most tests; the build is made of the same sources, and anew when one has changed.
 */
export default async function buildModules(_project: TestProject): Promise<void> {
  const { freshBuild } = (await import('../scripts/build.mjs' as string)) as { freshBuild(): Promise<string> };
  process.env[SOURCES] ??= await freshBuild();
  process.env[TESTS] ??= await buildTests();
}

/** Takes the place of `ownModule` in the sources that are tested: the built file in place of the source. */
export function ownModule(name: string): URL {
  return pathToFileURL(path.join(process.env[SOURCES] ?? '', `${path.posix.basename(name)}.js`));
}

/** A module of the tests, built; its source where no test run has built it (`npm run test:nightly`). */
export function startedModule(name: (typeof STARTED)[number]): URL {
  const folder = process.env[TESTS];
  if (folder === undefined) return new URL(`./${name}.ts`, import.meta.url);
  return pathToFileURL(path.join(folder, `${path.posix.basename(name)}.js`));
}

/** What Node runs in place of `src/main.ts`: the command line as the npm scripts start it. */
export function builtCommandLine(): string {
  return path.join(process.env[SOURCES] ?? '', 'start.mjs');
}

/** Lets the sources that start threads and processes take them from this module. */
export function builtModules(): Plugin {
  return {
    name: 'built-modules',
    enforce: 'pre',
    resolveId: (source, importer) =>
      source.endsWith('/files/own-files.js') && importer?.includes('/src/') ? import.meta.filename : null,
  };
}

async function buildTests(): Promise<string> {
  const { build } = await import('esbuild');
  const folder = path.join(tmpdir(), 'supportcal-built-tests');
  mkdirSync(folder);
  // Native code stays where it is installed.
  symlinkSync(path.resolve(import.meta.dirname, '../node_modules'), path.join(folder, 'node_modules'), 'dir');
  await build({
    entryPoints: STARTED.map((name) => path.join(import.meta.dirname, `${name}.ts`)),
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['node-llama-cpp'],
    logLevel: 'warning',
    // Packages in CommonJS ask for modules of Node in their own way.
    banner: {
      js: "import { createRequire as asRequire } from 'node:module';\nconst require = asRequire(import.meta.url);",
    },
    plugins: [inPlace],
  });
  return folder;
}

/** A built module finds files as its source does, and what it starts itself among the built sources. */
const inPlace: BuildPlugin = {
  name: 'in-place',
  setup(build) {
    build.onLoad({ filter: /\/(src|test)\/.*\.ts$/ }, ({ path: file }) => {
      if (file.endsWith('/src/files/own-files.ts')) return { contents: ownFiles(), loader: 'ts', resolveDir: '/' };
      const places = { dirname: path.dirname(file), filename: file, url: pathToFileURL(file).href };
      const contents = readFileSync(file, 'utf8').replace(/\bimport\.meta\.(dirname|filename|url)\b/g, (_, name) =>
        JSON.stringify(places[name as keyof typeof places]),
      );
      return { contents, loader: 'ts' };
    });
  },
};

function ownFiles(): string {
  const build = JSON.stringify(`${pathToFileURL(process.env[SOURCES] ?? '').href}/`);
  const root = JSON.stringify(pathToFileURL(`${fileURLToPath(new URL('..', import.meta.url))}`).href);
  return `
export const ownModule = (name) => new URL(name.slice(name.lastIndexOf('/') + 1) + '.js', ${build});
export const packageFile = (name) => new URL(name, ${root});
`;
}
