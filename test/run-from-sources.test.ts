import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ownModule } from './built-modules.js';

const checkout = path.resolve(import.meta.dirname, '..');
/** A checkout with two sources, and the packages of this one. */
const project = realpathSync(mkdtempSync(path.join(tmpdir(), 'supportcal-build-')));
const at = (...names: string[]) => path.join(project, ...names);
const run = (...args: string[]) => execFileSync(process.execPath, [at('scripts/supportcal.mjs'), ...args]).toString();
const builds = () => readdirSync(at('dist')).filter((name) => /^[0-9a-f]{16}$/.test(name));
const compiled = () =>
  builds().flatMap((name) =>
    readdirSync(at('dist', name))
      .filter((file) => file.endsWith('.bin'))
      .map((file) => path.join(name, file)),
  );
const write = (word: string) =>
  writeFileSync(at('src/inner/part.ts'), `export const inner = (): string => '${word}';\n`);

mkdirSync(at('src/inner'), { recursive: true });
mkdirSync(at('node_modules'));
cpSync(path.join(checkout, 'scripts'), at('scripts'), { recursive: true });
cpSync(path.join(checkout, 'tsconfig.json'), at('tsconfig.json'));
writeFileSync(at('package.json'), '{"type": "module"}');
writeFileSync(at('package-lock.json'), '{}');
symlinkSync(realpathSync(path.join(checkout, 'node_modules/esbuild')), at('node_modules/esbuild'));
const MAIN = "import { inner } from './inner/part.js';\nconsole.log(inner(), process.argv.slice(2).join());\n";
writeFileSync(at('src/main.ts'), MAIN);
writeFileSync(at('src/index.ts'), "export { inner } from './inner/part.js';\n");
afterAll(() => rmSync(project, { recursive: true }));

// What one test leaves, whether it passed or not, is nothing to the next.
beforeEach(() => {
  write('one');
  writeFileSync(at('src/main.ts'), MAIN);
});

describe('scripts/supportcal.mjs', () => {
  it('builds the sources once and runs them with its arguments', () => {
    expect(run('a', '--b')).toBe('one a,--b\n');
    const made = builds();
    expect(made).toHaveLength(1);
    expect(run()).toBe('one \n');
    expect(builds()).toEqual(made);
  });

  it('runs what a source says now, whatever was built before, and keeps the build of a run that goes on', () => {
    write('two');
    expect(run()).toBe('two \n');
    expect(builds()).toHaveLength(2);
    write('one');
    expect(run()).toBe('one \n');
    expect(builds()).toHaveLength(2);
  });

  it('runs what a linked source and the sources of a linked folder say now', () => {
    renameSync(at('src/inner'), at('elsewhere'));
    symlinkSync(at('elsewhere'), at('src/inner'));
    expect(run()).toBe('one \n');
    write('three');
    expect(run()).toBe('three \n');
    rmSync(at('src/inner'));
    renameSync(at('elsewhere'), at('src/inner'));
  });

  it('builds anew where the packages are others', () => {
    const before = builds().length;
    writeFileSync(at('package-lock.json'), '{ }');
    expect(run()).toBe('one \n');
    expect(builds()).toHaveLength(before + 1);
  });

  it('leaves entries that lead to the newest build, for the package', async () => {
    write('four');
    run();
    expect(execFileSync(process.execPath, [at('dist/main.js'), 'x']).toString()).toBe('four x\n');
    const { inner } = await import(/* @vite-ignore */ pathToFileURL(at('dist/index.js')).href);
    expect(inner()).toBe('four');
  });

  it('lets two commands build the same at once', async () => {
    write('five');
    const one = () =>
      new Promise<string>((resolve, reject) => {
        const child = spawn(process.execPath, [at('scripts/supportcal.mjs')]);
        let text = '';
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk) => {
            text += chunk;
          });
        child.on('error', reject);
        child.on('close', () => resolve(text));
      });
    expect(await Promise.all([one(), one()])).toEqual(['five \n', 'five \n']);
    expect(readdirSync(at('dist')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('does not mind that what another command left or was writing is gone when it is looked at', () => {
    // A link that leads nowhere is listed and cannot be read, as a file that was removed in between.
    symlinkSync('nowhere', at('dist/core.js.1.tmp'));
    write('seven');
    expect(run()).toBe('seven \n');
    for (const file of compiled()) {
      rmSync(at('dist', file));
      symlinkSync('nowhere', at('dist', file));
    }
    expect(run()).toBe('seven \n');
    for (const file of ['core.js.1.tmp', ...compiled()]) rmSync(at('dist', file));
  });

  it('keeps what was compiled per command, and does not use it when it is damaged', () => {
    run('first');
    const before = compiled();
    expect(run('first')).toBe('one first\n');
    expect(compiled()).toEqual(before);
    run('second');
    expect(compiled()).toHaveLength(before.length + 1);
    for (const file of compiled()) truncateSync(at('dist', file), 100);
    expect(run('first')).toBe('one first\n');
  });

  it('writes letters that are not ASCII as escapes, which mean the same where they stand', () => {
    writeFileSync(
      at('src/main.ts'),
      [
        '// A comment with ä and 🦀.',
        "const tag = (parts: TemplateStringsArray) => parts.join('');",
        'const raw = new RegExp(String.raw`^[−–]\\d$`);',
        "console.log('±', tag`é`, /^[À-Ö]$/u.test('Ä'), /🦀/u.test('🦀'), raw.test('−4'), raw.test('u4'));",
        '',
      ].join('\n'),
    );
    expect(run()).toBe('± é true true true false\n');
    const newest = readFileSync(at('dist/main.js'), 'utf8').match(/[0-9a-f]{16}/)![0];
    expect(readFileSync(at('dist', newest, 'main.cjs')).every((byte) => byte < 128)).toBe(true);
  });

  it('imports a module that is named as it runs, without a warning', () => {
    writeFileSync(at('named.mjs'), "export const word = 'named';");
    writeFileSync(
      at('src/main.ts'),
      'void import(/* @vite-ignore */ process.argv[2]!).then(({ word }) => console.log(word));\n',
    );
    const args = [at('scripts/supportcal.mjs'), pathToFileURL(at('named.mjs')).href];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['named\n', '']);
  });

  it('runs in the project that npm was called in, or in a folder of, else where it is started', () => {
    writeFileSync(at('src/main.ts'), 'console.log(process.cwd());\n');
    const startedIn = (cwd: string, given: string, npm_package_json = at('package.json')) => {
      const env = { ...process.env, INIT_CWD: given, npm_package_json };
      return execFileSync(process.execPath, [at('scripts/supportcal.mjs')], { cwd, env }).toString();
    };
    mkdirSync(at('my project/datasets'), { recursive: true });
    expect(startedIn(project, at('my project'))).toBe(`${project}\n`);
    writeFileSync(at('my project', 'models.yaml'), '');
    expect(startedIn(project, at('my project'))).toBe(`${at('my project')}\n`);
    expect(startedIn(project, at('my project/datasets'))).toBe(`${at('my project')}\n`);
    expect(startedIn(at('src'), at('my project'))).toBe(`${at('src')}\n`);
    // A script of the project goes into the checkout and starts the file itself.
    expect(startedIn(project, at('my project'), at('my project/package.json'))).toBe(`${project}\n`);
  });

  it('says what to do where packages are not installed, and runs what is built all the same', () => {
    rmSync(at('node_modules'), { recursive: true });
    expect(run()).toBe('one \n');
    write('six');
    const { status, stderr } = spawnSync(process.execPath, [at('scripts/supportcal.mjs')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, `error: the packages are not installed; run npm ci in ${project}/\n`]);
    // As after `npm ci --omit=dev`.
    mkdirSync(at('node_modules/yaml'), { recursive: true });
    const production = spawnSync(process.execPath, [at('scripts/supportcal.mjs')], { encoding: 'utf8' });
    expect(production.stderr).toMatch(
      /^error: nothing is built, and esbuild, .*; run npm ci in .* \(npm prune --omit=dev /,
    );
  });
});

it('every module that another thread or process starts is an entry of the build', () => {
  const src = path.join(checkout, 'src');
  const started = (readdirSync(src, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(path.join(src, file), 'utf8').matchAll(/\bownModule\('([^']+)'\)/g)])
    .map(([, name]) => `src/${name}.ts`);
  expect(started.length).toBeGreaterThanOrEqual(6);
  const entries = readFileSync(path.join(checkout, 'scripts/build.mjs'), 'utf8');
  expect(started.filter((file) => !entries.includes(`'${file}'`))).toEqual([]);
  // Built entries lie side by side, so that no two may have one name.
  expect(new Set(started.map((file) => path.basename(file))).size).toBe(new Set(started).size);
});

describe('the library inside of the modules of child processes', () => {
  it('is refused where another version of its native code is installed', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-library-'));
    mkdirSync(path.join(folder, 'node_modules/node-llama-cpp/dist'), { recursive: true });
    writeFileSync(path.join(folder, 'node_modules/node-llama-cpp/dist/index.js'), '');
    const other = { name: 'node-llama-cpp', version: '3.0.1', exports: './dist/index.js' };
    writeFileSync(path.join(folder, 'node_modules/node-llama-cpp/package.json'), JSON.stringify(other));
    cpSync(ownModule('engine/llama/probe'), path.join(folder, 'probe.mjs'));
    const { status, stderr } = spawnSync(process.execPath, [path.join(folder, 'probe.mjs')], { encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/built with node-llama-cpp [\d.]+, and 3\.0\.1 is installed: run npm install again/);
  });

  it('comes with what its authors and those of the other packages ask to be said', () => {
    const text = readFileSync(new URL('LICENSES.txt', ownModule('index')), 'utf8');
    expect(text).toMatch(/^node-llama-cpp [\d.]+ \(MIT\)\n\nMIT License/m);
    expect(text).toMatch(/^apache-arrow [\d.]+ \(Apache-2\.0\)/m);
  });
});
