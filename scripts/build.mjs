import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Builds the package: `npm run build`, which npm also runs as `prepare` after `npm ci` and before `npm pack`.
 *
 *   dist/main.js      what `supportcal` starts        dist/index.js, dist/*.d.ts   the library and its types
 *   dist/core.js, dist/core.cjs   the part of the library that runs anywhere, for import and require
 *   dist/<build>/     the code of both, and of the threads and child processes that they start
 *
 * Every entry is one file with all packages in it but those of native code: loading 500 modules of our own and as many
 * of packages takes longer than the demo's calibration. A build is named by the hash of what it was made from, and
 * never changes, so that a run goes on with the workers it began with while the next command builds what was edited.
 */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The command line is CommonJS, since Node 20 can keep compiled code of nothing else; it is loaded by start.mjs. */
const COMMAND_LINE = 'src/main.ts';
/** What works on arrays in memory, in a browser too. */
const CORE = 'src/core.ts';
/** The library, and every module that `ownModule` names: the entries of threads and child processes. */
const MODULES = [
  'src/index.ts',
  'src/formats/decode-worker.ts',
  'src/engine/inspect/inspect-worker.ts',
  'src/engine/library/build-library.ts',
  'src/engine/worker.ts',
  'src/pipeline/calibrate/split-worker.ts',
];
/** What is loaded into every process that opens a model. */
const LIBRARY_MODULES = ['src/engine/llama/llama-backend.ts', 'src/engine/llama/probe.ts'];
/** Native code stays where it is installed, and what few commands need does not make the others slower. */
const EXTERNAL = ['node-llama-cpp', 'bullmq', 'ioredis', 'fastify', '@fastify/swagger', 'prom-client'];

const OUTSIDE_IMPORT = new RegExp(`(?<![-\\w])import\\((?!\\s*['"](?!(?:${EXTERNAL.join('|')})['"]))`, 'g');

const DAY_MS = 24 * 3600 * 1000;
const dist = path.join(root, 'dist');

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage();

/** Everything that is shipped and nothing else: code, entries and types of the sources as they are. */
async function buildPackage() {
  const missing = ['esbuild', 'typescript'].filter((name) => !isInstalled(name));
  if (missing.length > 0) {
    // A production install (`npm ci --omit=dev`) must not fail: it may be after what was built before.
    process.stderr.write(
      `nothing is built: ${missing.join(' and ')} not installed. In a checkout run npm ci, then npm prune --omit=dev\n`,
    );
    return;
  }
  // The packages that lie here may be others than when the same sources were built before.
  rmSync(path.join(dist, sourcesHash()), { recursive: true, force: true });
  const folder = await freshBuild();
  for (const name of readdirSync(dist)) {
    const file = path.join(dist, name);
    if (file !== folder) rmSync(file, { recursive: true, force: true });
  }
  const { status } = spawnSync(process.execPath, [typescript(), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
  writeEntries(folder);
}

/** The folder of the build of the sources as they are now, which is made if it is not there. */
export async function freshBuild() {
  const folder = path.join(dist, sourcesHash());
  if (!existsSync(folder)) {
    await buildInto(folder);
    writeEntries(folder);
  }
  return folder;
}

/** What package.json names: the newest build, whatever that is called. */
function writeEntries(folder) {
  const build = path.basename(folder);
  writeWhole(path.join(dist, 'main.js'), `#!/usr/bin/env node\nimport './${build}/start.mjs';\n`);
  writeWhole(path.join(dist, 'index.js'), `export * from './${build}/index.js';\n`);
  writeWhole(path.join(dist, 'core.js'), `export * from './${build}/core.js';\n`);
  writeWhole(path.join(dist, 'core.cjs'), `module.exports = require('./${build}/core.cjs');\n`);
}

/**
 * Hash of all that a build is made from. Packages are known by package-lock.json; files edited in node_modules are not.
 */
function sourcesHash() {
  const hash = createHash('sha256');
  const settings = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'scripts/build.mjs',
    'scripts/bundle-library.mjs',
    'scripts/start.mjs',
  ];
  // Every command waits for this: files are read one after the other into one piece of memory, and hashed as one.
  const [heads, room] = [[], { bytes: Buffer.allocUnsafe(2 ** 23), used: 0 }];
  for (const file of [...filesOf('src').sort(), ...settings]) heads.push(`${file} ${append(room, root + file)}\n`);
  hash.update(heads.join('')).update(room.bytes.subarray(0, room.used));
  return hash.digest('hex').slice(0, 16);
}

/** Reads a whole file behind what is there; returns its size. */
function append(room, file) {
  const [descriptor, start] = [openSync(file, 'r'), room.used];
  try {
    for (;;) {
      if (room.used === room.bytes.length) room.bytes = Buffer.concat([room.bytes], 2 * room.used);
      const count = readSync(descriptor, room.bytes, room.used, room.bytes.length - room.used, null);
      if (count === 0) return room.used - start;
      room.used += count;
    }
  } finally {
    closeSync(descriptor);
  }
}

function filesOf(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    const isFolder = entry.isSymbolicLink() ? statSync(path.join(root, file)).isDirectory() : entry.isDirectory();
    return isFolder ? filesOf(file) : [file];
  });
}

/** Builds beside the folder and gives the result its name at the end: no half of a build is ever found there. */
async function buildInto(folder) {
  const { build } = await import('esbuild');
  mkdirSync(dist, { recursive: true });
  removeOld();
  const temporary = path.join(dist, `${randomBytes(6).toString('hex')}.tmp`);
  const shared = {
    absWorkingDir: root,
    outdir: temporary,
    entryNames: '[name]',
    bundle: true,
    external: EXTERNAL,
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    metafile: true,
  };
  // Packages in CommonJS ask for modules of Node in their own way.
  const ownRequire =
    "import { createRequire as ownRequire } from 'node:module';\nconst require = ownRequire(import.meta.url);\n";
  const exists = (file) => existsSync(path.join(root, file));
  const libraryModules = LIBRARY_MODULES.filter(exists);
  const results = await Promise.all([
    build({
      ...shared,
      entryPoints: [COMMAND_LINE],
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      banner: { js: "const ownAddress = require('node:url').pathToFileURL(__filename).href;" },
      define: { 'import.meta.url': 'ownAddress' },
      plugins: [{ name: 'own-import', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, withOwnImport) }],
    }),
    build({
      ...shared,
      entryPoints: MODULES.filter(exists),
      format: 'esm',
      banner: { js: ownRequire },
    }),
    ...(libraryModules.length > 0
      ? [build(await withLibrary({ ...shared, entryPoints: libraryModules }, ownRequire))]
      : []),
    // Nothing of Node: esbuild refuses an import of it here.
    ...['esm', 'cjs'].map((format) =>
      build({
        ...shared,
        entryPoints: [CORE].filter(exists),
        format,
        platform: 'browser',
        target: 'es2022',
        outExtension: { '.js': format === 'cjs' ? '.cjs' : '.js' },
      }),
    ),
  ]);
  const commandLine = path.join(temporary, 'main.cjs');
  writeFileSync(commandLine, asScript(readFileSync(commandLine, 'utf8')), 'latin1');
  writeFileSync(path.join(temporary, 'LICENSES.txt'), licencesOf(results));
  copyFileSync(path.join(root, 'scripts', 'start.mjs'), path.join(temporary, 'start.mjs'));
  try {
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true });
    // Another command has built the same meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * The command line as one function for start.mjs to call. One letter that is not ASCII makes V8 keep all of it at two
 * bytes a letter, and reading it takes 15 ms in place of 2: it is written as its escape. esbuild has done so in
 * strings; what it leaves are comments, regular expressions and templates with a tag, where the escape means the same.
 * Of the tags only String.raw looks at the letters themselves, and all that it makes here are regular expressions.
 */
function asScript(text) {
  const body = text.replace(/^#!.*/, '').replace(/[^\0-\x7f]/g, escaped);
  return `(function (require, module, __filename, ownImport) {${body}\n})`;
}

function escaped(letter) {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** What the packages that a build holds ask to be said wherever their code goes. */
function licencesOf(results) {
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const folders = new Set(inputs.flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const at = path.join(root, folder);
    const { name, version, license } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8'));
    const file = readdirSync(at).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : readFileSync(path.join(at, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** The settings of a build of modules that have node-llama-cpp in them. */
async function withLibrary(settings, ownRequire) {
  const { bundledLibrary } = await import('./bundle-library.mjs');
  const { external, banner, plugins } = bundledLibrary();
  return {
    ...settings,
    format: 'esm',
    external: [...EXTERNAL.filter((name) => name !== 'node-llama-cpp'), ...external],
    banner: { js: ownRequire + banner },
    plugins,
  };
}

/**
 * A script of node:vm cannot import what is named as it runs, or what stays outside of the build: start.mjs hands it a
 * function that does.
 */
function withOwnImport({ path: file }) {
  const text = readFileSync(file, 'utf8');
  return { contents: text.replace(OUTSIDE_IMPORT, 'ownImport('), loader: 'ts' };
}

/** Builds of sources that were edited since; a run that began with one may still need it for a day. */
function removeOld() {
  for (const name of readdirSync(dist)) {
    const file = path.join(dist, name);
    if (!/^[0-9a-f]{16}$|\.tmp$/.test(name)) continue;
    // Another command that builds at the same time renames and removes files of its own here.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > DAY_MS) rmSync(file, { recursive: true, force: true });
  }
}

function writeWhole(file, text) {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o755 });
  renameSync(temporary, file);
}

function isInstalled(name) {
  return existsSync(path.join(root, 'node_modules', name, 'package.json'));
}

function typescript() {
  const packageJson = createRequire(import.meta.url).resolve('typescript/package.json');
  return path.join(path.dirname(packageJson), 'bin', 'tsc');
}
