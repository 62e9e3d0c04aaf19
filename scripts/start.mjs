import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import vm from 'node:vm';

/*
 * Starts the command line of the build that this file lies in. What V8 compiled of it in an earlier run of the same
 * command is kept beside it, since compiling takes a tenth of a second. Node 22 has module.enableCompileCache for this,
 * Node 20 has not, and v8-compile-cache keeps only what is compiled before anything has run. A cache that cannot be
 * written, in a package that somebody else installed, say, is none.
 */

/*
 * Most commands end before the code that V8 optimises for them has paid for its making, on cores that they need
 * themselves: it waits three times as long, and puts fewer functions into one another (measured with Node 20, in
 * bench/README.md). V8 11 to 13 know both flags; of one that it does not know it says so on stderr.
 */
const LONG = ['serve', 'worker'];
if (Number.parseInt(process.versions.v8, 10) < 14 && !LONG.includes(process.argv[2])) {
  v8.setFlagsFromString('--interrupt-budget=200000');
  v8.setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}

const folder = path.dirname(fileURLToPath(import.meta.url));
const filename = path.join(folder, 'main.cjs');
const prefix = `compiled-${hashOf(process.argv[2] ?? '').slice(0, 8)}.`;

const cachedData = compiledBefore();
const script = new vm.Script(readFileSync(filename, 'latin1'), { filename, cachedData });
if (cachedData === undefined || script.cachedDataRejected)
  process.on('exit', (code) => code === 0 && keepCompiled(script));
script.runInThisContext()(createRequire(filename), { exports: {} }, filename, (address) => import(address));

/** V8 looks at the version and the length of what it gets, not at every byte: the name has the hash of those. */
function compiledBefore() {
  for (const name of compiledFiles()) {
    const bytes = bytesOf(path.join(folder, name));
    if (bytes !== undefined && name === nameOf(bytes)) return bytes;
  }
  return undefined;
}

/** Nothing where another command, which ends just now, has put its own in the place of this one. */
function bytesOf(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function keepCompiled(script) {
  try {
    const bytes = script.createCachedData();
    const old = compiledFiles();
    const name = nameOf(bytes);
    const temporary = path.join(folder, `${name}.${process.pid}.tmp`);
    writeFileSync(temporary, bytes);
    renameSync(temporary, path.join(folder, name));
    for (const each of old) if (each !== name) rmSync(path.join(folder, each), { force: true });
  } catch {
    // The next run compiles again.
  }
}

function compiledFiles() {
  return readdirSync(folder).filter((name) => name.startsWith(prefix) && name.endsWith('.bin'));
}

function nameOf(bytes) {
  return `${prefix}${hashOf(bytes)}.bin`;
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}
