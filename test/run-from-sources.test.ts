import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
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
import { afterAll, describe, expect, it } from 'vitest';

const checkout = path.resolve(import.meta.dirname, '..');
const project = realpathSync(mkdtempSync(path.join(tmpdir(), 'supportcal-sources-')));
const at = (...parts: string[]) => path.join(project, ...parts);
const bundles = () => readdirSync(at('node_modules/.cache/supportcal'));
const filesOf = (folder: string) =>
  readdirSync(at('node_modules/.cache/supportcal', folder)).map((name) => path.join(folder, name));
const run = (...args: string[]) => execFileSync(process.execPath, [at('scripts/supportcal.mjs'), ...args]).toString();

mkdirSync(at('scripts'));
mkdirSync(at('src/inner'), { recursive: true });
mkdirSync(at('node_modules'));
cpSync(path.join(checkout, 'scripts/supportcal.mjs'), at('scripts/supportcal.mjs'));
cpSync(path.join(checkout, 'tsconfig.json'), at('tsconfig.json'));
writeFileSync(at('package.json'), '{"type": "module"}');
symlinkSync(realpathSync(path.join(checkout, 'node_modules/tsx')), at('node_modules/tsx'));
writeFileSync(
  at('src/main.ts'),
  "import { inner } from './inner/part.js';\nconsole.log(inner(), process.argv.slice(2).join());\n",
);
const write = (word: string) =>
  writeFileSync(
    at('src/inner/part.ts'),
    `export const inner = (): string => '${word} ' + new URL('.', import.meta.url).pathname;\n`,
  );
afterAll(() => rmSync(project, { recursive: true }));

describe('scripts/supportcal.mjs', () => {
  it('runs the sources with its arguments, from files that it makes once', () => {
    write('one');
    expect(run('a', '--b')).toBe(`one ${at('src/inner')}/ a,--b\n`);
    const made = bundles();
    expect(made).toHaveLength(1);
    expect(run()).toBe(`one ${at('src/inner')}/ \n`);
    expect(bundles()).toEqual(made);
  });

  it('runs what a source says now, whatever was made before', () => {
    write('two');
    expect(run()).toMatch(/^two /);
    write('one');
    expect(run()).toMatch(/^one /);
    expect(bundles()).toHaveLength(2);
  });

  it('does not use a file that is not as it was made', () => {
    const made = bundles();
    for (const name of made.flatMap((folder) => filesOf(folder))) {
      writeFileSync(at('node_modules/.cache/supportcal', name), 'console.log("cut")');
      expect(run(), name).toMatch(/^one /);
    }
    expect(bundles()).toEqual(made);
  });

  it('keeps what was compiled per command, and does not use it when it is damaged', () => {
    const compiled = () => bundles().flatMap((folder) => filesOf(folder).filter((name) => name.endsWith('.bin')));
    run('first');
    const before = compiled();
    expect(run('first')).toBe(`one ${at('src/inner')}/ first\n`);
    expect(compiled()).toEqual(before);
    run('second');
    expect(compiled()).toHaveLength(before.length + 1);
    for (const name of compiled()) truncateSync(at('node_modules/.cache/supportcal', name), 100);
    expect(run('first')).toBe(`one ${at('src/inner')}/ first\n`);
  });

  it('runs what a package says now', () => {
    const install = (word: string) => {
      mkdirSync(at('node_modules/word'), { recursive: true });
      writeFileSync(at('node_modules/word/package.json'), `{"name": "word", "exports": "./${word}.cjs"}`);
      for (const each of ['five', 'six'])
        writeFileSync(
          at(`node_modules/word/${each}.cjs`),
          `const { sep } = require('path'); exports.word = '${each}' + sep;`,
        );
    };
    install('five');
    writeFileSync(at('src/inner/part.ts'), "import { word } from 'word';\nexport const inner = (): string => word;\n");
    expect(run()).toBe(`five${path.sep} \n`);
    install('six');
    expect(run()).toBe(`six${path.sep} \n`);
    writeFileSync(at('node_modules/word/six.cjs'), "exports.word = 'seven';");
    expect(run()).toBe('seven \n');
    write('one');
  });

  it('makes the files once where a package lies in a folder with other letters', () => {
    mkdirSync(at('été/word'), { recursive: true });
    writeFileSync(at('été/word/package.json'), '{"name": "linked", "exports": "./word.cjs"}');
    writeFileSync(at('été/word/word.cjs'), "exports.word = 'nine';");
    symlinkSync(at('été/word'), at('node_modules/linked'));
    writeFileSync(at('src/inner/part.ts'), "import { word } from 'linked';\nexport const inner = () => word;\n");
    const before = bundles();
    expect(run()).toBe('nine \n');
    const [made] = bundles().filter((name) => !before.includes(name));
    writeFileSync(at('node_modules/.cache/supportcal', made!, 'mark'), '');
    expect(run()).toBe('nine \n');
    expect(filesOf(made!)).toContain(path.join(made!, 'mark'));
    write('one');
  });

  it('imports a module that is named as it runs, without a warning', () => {
    writeFileSync(at('named.mjs'), "export const word = 'named';");
    writeFileSync(
      at('src/inner/part.ts'),
      "export const inner = (): string => 'eight';\nvoid (async () => console.log((await import(/* @vite-ignore */ process.argv[2]!)).word))();\n",
    );
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [at('scripts/supportcal.mjs'), pathToFileURL(at('named.mjs')).href],
      { encoding: 'utf8' },
    );
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^eight .*\nnamed\n$/), '']);
    write('one');
  });

  it('runs what a linked source says now', () => {
    const linked = at('elsewhere.ts');
    write('three');
    renameSync(at('src/inner/part.ts'), linked);
    symlinkSync(linked, at('src/inner/part.ts'));
    expect(run()).toMatch(/^three /);
    writeFileSync(linked, "export const inner = (): string => 'four';\n");
    expect(run()).toMatch(/^four /);
    rmSync(at('src/inner/part.ts'));
    write('one');
  });

  it('loads the sources one by one where it cannot write', () => {
    rmSync(at('node_modules/.cache'), { recursive: true });
    writeFileSync(at('node_modules/.cache'), '');
    expect(run('x')).toBe(`one ${at('src/inner')}/ x\n`);
  });

  it('says what to do where packages are not installed', () => {
    rmSync(at('node_modules'), { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, [at('scripts/supportcal.mjs')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, `error: the packages are not installed; run npm ci in ${project}/\n`]);
  });
});
