import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/*
 * The command line from its sources: what the npm scripts run. Loading 500 TypeScript files one by one through tsx takes
 * longer than the demo's calibration, so they are joined into one file under node_modules/.cache, named by the hash of
 * everything that it is made from, and by its own. Any change of a source makes another file; one that is missing, cut
 * or cannot be written is not used, and tsx loads the sources themselves. Packages stay outside: what is installed is
 * what runs. For stack traces with lines of the sources: node --import tsx src/main.ts ARGUMENTS.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(root, 'node_modules', '.cache', 'supportcal');
const WEEK = 7 * 24 * 3600 * 1000;

const main = (await bundle()) ?? (await sources());
if (main === null) {
  process.stderr.write(`error: the packages are not installed; run npm ci in ${root}\n`);
  process.exitCode = 1;
} else await import(main);

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

/** The address of the joined file, made if it is not there; null when it cannot be had. */
async function bundle() {
  try {
    const { key, sources } = readSources();
    return found(key) ?? (await make(key, sources));
  } catch {
    return null;
  }
}

/**
 * Everything that the joined file is made from, with the hash of it. The file is made from these bytes, so that a source
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
  const whole = names.find((name) => {
    const [of, own, ending] = name.split('.');
    return of === key && ending === 'mjs' && own === hashOf(readFileSync(path.join(folder, name)));
  });
  return whole === undefined ? null : pathToFileURL(path.join(folder, whole)).href;
}

async function make(key, sources) {
  const { build } = await import(pathToFileURL(esbuildFile()).href);
  const { outputFiles } = await build({
    ...{ absWorkingDir: root, entryPoints: ['src/main.ts'], bundle: true, packages: 'external', write: false },
    ...{ platform: 'node', format: 'esm', target: `node${process.versions.node}`, logLevel: 'silent' },
    plugins: [
      {
        name: 'own-addresses',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path: file }) => ownAddress(file, sources.get(file).toString())),
      },
    ],
  });
  const { contents } = outputFiles[0];
  const file = path.join(folder, `${key}.${hashOf(contents)}.mjs`);
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  mkdirSync(folder, { recursive: true });
  removeOld();
  writeFileSync(temporary, contents);
  renameSync(temporary, file);
  return pathToFileURL(file).href;
}

/** Every module goes on to know the address of its source, from which it starts child processes and finds files. */
function ownAddress(file, text) {
  const address = JSON.stringify(pathToFileURL(file).href);
  return { contents: text.replace(/\bimport\.meta\.url\b/g, () => address), loader: 'ts' };
}

function removeOld() {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    try {
      if (Date.now() - statSync(file).mtimeMs > WEEK) rmSync(file);
    } catch {
      // Another run has removed it.
    }
  }
}

/** esbuild is a dependency of tsx. */
function esbuildFile() {
  return createRequire(createRequire(import.meta.url).resolve('tsx')).resolve('esbuild');
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}
