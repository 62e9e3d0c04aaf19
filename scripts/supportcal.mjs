import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import vm from 'node:vm';

/*
 * The command line from its sources: what the npm scripts run. Loading 500 TypeScript files through tsx and as many files
 * of packages takes longer than the demo's calibration, so all are joined into one file, in a folder under
 * node_modules/.cache that is named by the hash of the sources. In the folder stands which bytes its files and those of the
 * packages had when it was made: where one differs, another folder is made. Where none can be had, tsx loads the
 * sources themselves. For stack traces with lines of the sources: node --import tsx src/main.ts ARGUMENTS.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(root, 'node_modules', '.cache', 'supportcal');
/** A thread has a file of its own, beside the main one, where the module that starts threads finds it. */
const ENTRIES = ['main', 'pipeline/calibrate/split-worker'];
const STARTER = path.join(root, 'src', 'files', 'startable-module.ts');
/** Native code stays where it is installed. */
const EXTERNAL = ['node-llama-cpp'];
const LIST = 'made.json';
const DAY = 24 * 3600 * 1000;
const COMMAND = hashOf([Buffer.from(process.argv[2] ?? '')]).slice(0, 8);

const joined = await joinedFolder();
const main = joined === null ? await sources() : null;
if (joined !== null) start(joined);
else if (main !== null) await import(main);
else {
  process.stderr.write(`error: the packages are not installed; run npm ci in ${root}\n`);
  process.exitCode = 1;
}

/** The address of the entry, with tsx ready to load it; null where tsx is not installed. */
async function sources() {
  const tsx = await import('tsx/esm/api').catch((error) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  });
  if (tsx === null) return null;
  tsx.register();
  return pathToFileURL(path.join(root, 'src', 'main.ts')).href;
}

/** The folder of the joined files, made if it is not there; null when it cannot be had. */
async function joinedFolder() {
  try {
    const { key, sources } = readSources();
    return found(key) ?? (await make(key, sources));
  } catch {
    return null;
  }
}

/**
 * Runs the joined file. What V8 compiled of it in an earlier run of the same command is kept beside it: compiling takes a
 * tenth of a second.
 */
function start(at) {
  const filename = path.join(at, 'main.cjs');
  const cachedData = compiledBefore(at);
  const text = readFileSync(filename);
  const script = new vm.Script(`(function (require, module, __filename, joinedImport) {${text}\n})`, {
    filename,
    cachedData,
  });
  if (cachedData === undefined || script.cachedDataRejected)
    process.on('exit', (code) => code === 0 && keepCompiled(at, script));
  script.runInThisContext()(createRequire(filename), {}, filename, (address) => import(address));
}

function compiledBefore(at) {
  for (const name of compiledFiles(at)) {
    const bytes = readFileSync(path.join(at, name));
    if (name.endsWith(`.${hashOf([bytes])}.bin`)) return bytes;
  }
  return undefined;
}

function keepCompiled(at, script) {
  try {
    const bytes = script.createCachedData();
    const old = compiledFiles(at);
    const name = `${COMMAND}.${hashOf([bytes])}.bin`;
    const temporary = path.join(at, `${name}.${process.pid}.tmp`);
    writeFileSync(temporary, bytes);
    renameSync(temporary, path.join(at, name));
    for (const each of old) if (each !== name) rmSync(path.join(at, each), { force: true });
  } catch {
    // The next run compiles again.
  }
}

function compiledFiles(at) {
  return readdirSync(at).filter((name) => name.startsWith(`${COMMAND}.`) && name.endsWith('.bin'));
}

/**
 * All of our own that the joined files are made from, with the hash of it. They are made from these bytes, so that a source
 * that changes meanwhile is not in a file named by what stood there before. Links are not followed: with one, no file.
 */
function readSources() {
  const hash = createHash('sha256').update(JSON.stringify([process.version, root]));
  const sources = new Map();
  for (const entry of readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isSymbolicLink() && !entry.name.startsWith('.')) throw new Error(`${file} is a link`);
    if (entry.isFile()) sources.set(file, readFileSync(file));
  }
  const esbuild = path.join(path.dirname(esbuildFile()), '..', 'package.json');
  const settings = ['tsconfig.json', 'package.json'].map((name) => path.join(root, name));
  const others = [...settings, fileURLToPath(import.meta.url), esbuild].map((file) => [file, readFileSync(file)]);
  for (const [file, bytes] of [...[...sources].sort(([a], [b]) => (a < b ? -1 : 1)), ...others])
    hash.update(`\n${file} ${bytes.length}\n`).update(bytes);
  return { key: hash.digest('hex').slice(0, 32), sources };
}

function found(key) {
  let names = [];
  try {
    names = readdirSync(folder);
  } catch {
    return null;
  }
  const whole = names.find((name) => name.startsWith(`${key}.`) && isAsMade(name));
  return whole === undefined ? null : path.join(folder, whole);
}

/** Whether every file of the folder, and every file of a package that went into it, has the bytes that it had then. */
function isAsMade(name) {
  try {
    const list = readFileSync(path.join(folder, name, LIST));
    if (name.split('.')[1] !== hashOf([list])) return false;
    const { made, packages } = JSON.parse(list);
    const isSame = ({ files, hash }, base) => hashOfFiles(files, base) === hash;
    return isSame(made, path.join(folder, name)) && isSame(packages, root);
  } catch {
    return false;
  }
}

async function make(key, sources) {
  const { build } = await import(pathToFileURL(esbuildFile()).href);
  const entries = ENTRIES.map((name) => path.join('src', `${name}.ts`)).filter((file) =>
    sources.has(path.join(root, file)),
  );
  const { outputFiles, metafile } = await build({
    ...{ absWorkingDir: root, entryPoints: entries, bundle: true, external: EXTERNAL, write: false, metafile: true },
    ...{ platform: 'node', format: 'cjs', target: `node${process.versions.node}`, logLevel: 'silent' },
    ...{ outdir: folder, entryNames: '[name]', outExtension: { '.js': '.cjs' } },
    // Packages take the joined file for their own.
    banner: { js: "const joinedAddress = require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': 'joinedAddress' },
    plugins: [
      {
        name: 'own-addresses',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path: file }) => ownAddress(file, sources.get(file).toString())),
      },
    ],
  });
  const inputs = Object.keys(metafile.inputs).filter((file) => !sources.has(path.join(root, file)));
  const temporary = path.join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.tmp`);
  mkdirSync(temporary, { recursive: true });
  removeOld();
  const names = outputFiles.map((file) => path.basename(file.path));
  for (const [n, { contents }] of outputFiles.entries()) writeFileSync(path.join(temporary, names[n]), contents);
  const withHash = (files, base) => ({ files, hash: hashOfFiles(files, base) });
  const lists = { made: withHash(names, temporary), packages: withHash(withSettings(inputs), root) };
  const list = Buffer.from(JSON.stringify(lists));
  writeFileSync(path.join(temporary, LIST), list);
  const name = `${key}.${hashOf([list])}`;
  if (!isAsMade(name)) {
    rmSync(path.join(folder, name), { recursive: true, force: true });
    renameSync(temporary, path.join(folder, name));
  } else rmSync(temporary, { recursive: true });
  return path.join(folder, name);
}

/** The given files of packages, and what says how those packages are entered. */
function withSettings(files) {
  const settings = files.flatMap((file) => {
    const home = /^.*node_modules\/(@[^/]+\/)?[^/]+\//.exec(file);
    return home === null ? [] : [`${home[0]}package.json`];
  });
  return [...new Set([...files, ...settings])];
}

/**
 * Every module that says `import.meta.url` goes on to know the address of its source, from which it finds files. A script
 * of node:vm cannot import what is named as it runs, so that the one that starts it does.
 */
function ownAddress(file, text) {
  const address = file === STARTER ? 'joinedAddress' : JSON.stringify(pathToFileURL(file).href);
  const contents = text
    .replace(/^#!.*/, '')
    .replace(/\bimport\.meta\.url\b/g, () => address)
    .replace(/\bawait import\((?!\s*['"])/g, 'await joinedImport(');
  return { contents, loader: 'ts' };
}

function removeOld() {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    try {
      if (Date.now() - statSync(file).mtimeMs > DAY) rmSync(file, { recursive: true });
    } catch {
      // Another run has removed it.
    }
  }
}

/** esbuild is a dependency of tsx. */
function esbuildFile() {
  return createRequire(createRequire(import.meta.url).resolve('tsx')).resolve('esbuild');
}

function hashOfFiles(files, base) {
  return hashOf(files.map((file) => readFileSync(path.join(base, file))));
}

function hashOf(parts) {
  const hash = createHash('sha256');
  for (const bytes of parts) hash.update(`${bytes.length}\n`).update(bytes);
  return hash.digest('hex').slice(0, 32);
}
