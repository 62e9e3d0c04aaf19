import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../src/index.js';
import { run } from './fake-io.js';
import { type ImportedSuite, importAll, importedSuite } from './imported-suite.js';

const GUIDE = readFileSync(path.resolve(import.meta.dirname, '../../docs/methods.md'), 'utf8');
const EXAMPLE = /## A method of your own[\s\S]*?```js\n([\s\S]*?)```/.exec(GUIDE)![1]!;

let suite: ImportedSuite;

beforeAll(async () => {
  suite = importedSuite();
  await importAll(suite);
});

function calibrate(files: readonly string[], more: readonly string[] = []) {
  const flags = ['--suite', 's', '--out', suite.file('out'), ...suite.flags];
  return run(['calibrate', ...files.flatMap((file) => ['--method-file', file]), ...flags, ...more]);
}

function write(name: string, text: string): string {
  writeFileSync(suite.file(name), text);
  return suite.file(name);
}

const read = (name: string) => JSON.parse(readFileSync(suite.file(`out/${name}`), 'utf8'));
const temperatures = ({ runs }: Results, method: string) =>
  runs.filter((each) => each.method === method).map(({ temperature }) => temperature!);

describe('a method of one’s own, in a file', () => {
  it('is the example of docs/methods.md: a column of every report, with its weights, and its hash in results and manifest', async () => {
    const file = write('squared-support.mjs', EXAMPLE);
    expect(await calibrate([file])).toMatchObject({ code: 0, stdout: expect.stringContaining('squared-support') });
    const results: Results = read('results.json');
    expect(results.protocol.methods.at(-1)).toBe('squared-support');
    const own = temperatures(results, 'squared-support');
    expect(own).toHaveLength(2);
    // Its weights lie between those of DACA (0 on D) and of relative-only, and so do its temperatures.
    own.forEach((temperature, s) => {
      expect(temperature).toBeGreaterThan(temperatures(results, 'daca')[s]!);
      expect(temperature).toBeLessThan(temperatures(results, 'relative-only')[s]!);
    });
    const sha256 = createHash('sha256').update(EXAMPLE).digest('hex');
    const origin = [{ file, sha256, methods: ['squared-support'] }];
    expect([results.protocol.methodFiles, read('manifest.json').methodFiles]).toEqual([origin, origin]);
    expect((await run(['report', '--out', suite.file('out')])).code).toBe(0);
    const report = readFileSync(suite.file('out/report.md'), 'utf8');
    expect(report).toContain(sha256);
    expect(readFileSync(suite.file('out/report.html'), 'utf8')).toContain(sha256);
  });

  it('stands where the suite names it, once per M where it asks references, several to a file', async () => {
    const file = write(
      'two.mjs',
      `const weight = ({ disagreement, corroboration }, n) => (disagreement[n] === 0 ? 1 : corroboration(n));
       export default [{ name: 'corroborated', needs: 'references', weight },
                       { name: 'cold', needs: 'nothing', temperature: 0.5 },
                       { name: 'sixty', needs: 'own-base', doubt: () => 0.4 }];`,
    );
    const models = readFileSync(suite.file('models.yaml'), 'utf8');
    const named = write('named.yaml', models.replace('[1, 2]}', '[1], methods: [vanilla, corroborated, daca]}'));
    expect((await calibrate([file], ['--models', named])).code).toBe(0);
    const { runs, protocol }: Results = read('results.json');
    expect(protocol.methods).toEqual(['vanilla', 'corroborated', 'daca', 'cold', 'sixty']);
    expect(runs.map(({ method, combinationSize }) => [method, combinationSize])).toEqual([
      ['vanilla', null],
      ['corroborated', 1],
      ['corroborated', 2],
      ['daca', null],
      ['cold', null],
      ['sixty', null],
    ]);
    expect(runs.find(({ method }) => method === 'cold')).toMatchObject({ temperature: 0.5, converged: null });
    expect(runs.find(({ method }) => method === 'sixty')).toMatchObject({ estimatedAccuracy: 0.6, converged: true });
  });

  it('is loaded again when its file has changed', async () => {
    for (const temperature of [2, 3]) {
      const file = write(
        'again.mjs',
        `export default { name: 'again', needs: 'nothing', temperature: ${temperature} };`,
      );
      await calibrate([file]);
      expect(temperatures(read('results.json'), 'again')).toEqual([temperature, temperature]);
    }
  });

  it('unnamed on the command line, is an unknown method with its line, the known ones and how to add one', async () => {
    const models = readFileSync(suite.file('models.yaml'), 'utf8');
    const named = write('unknown.yaml', models.replace('[1, 2]}', '[1], methods: [vanilla, dacca]}'));
    const { code, stderr } = await calibrate([], ['--models', named]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/unknown\.yaml:7.*suites\.s\.methods\.1.*unknown method "dacca"; did you mean "daca"/);
    expect(stderr).toMatch(/Known: vanilla, .*oracle-ts.*--method-file.*docs\/methods.md/);
    // Other commands, and other suites of the file, do not need it.
    expect((await run(['ls', ...suite.flags.slice(2), '--models', named])).code).toBe(0);
    expect((await run(['cache', 'prune', ...suite.flags.slice(2), '--models', named])).code).toBe(0);
  });

  it.each([
    ['no file', null, /not-there\.mjs: .*no such file/i],
    ['no module', 'export default {', /bad\.mjs: cannot be loaded as a module: /],
    ['an import that is not there', "import './nowhere.mjs';", /cannot be loaded as a module: .*nowhere/],
    ['no default export', 'export const a = 1;', /has no default export; write `export default \{ name/],
    ['an empty list', 'export default [];', /has no default export/],
    ['no entry', 'export default [7];', /expected an entry \{ name, needs, weight \}, found 7/],
    ['a built-in name', entry({ name: "'DACA'" }), /the name "DACA" is built in/],
    ['a name that reports use', entry({ name: "'own-base'" }), /the name "own-base" is built in/],
    ['a name that is no name', entry({ name: "'<b>'" }), /default\.name.*expected up to 60 letters/],
    ['no name', entry({ name: 'undefined' }), /expected up to 60 letters.*found nothing/],
    ['a wrong need', entry({ needs: "'labels'" }), /expected own-base or references beside `weight`, found "labels"/],
    ['no weight', "export default { name: 'x', needs: 'own-base' };", /expected one of weight\(split, n\).*found none/],
    ['a weight that is no function', entry({ weight: '1' }), /expected a function, found 1/],
    ['an unknown field', entry({ logWeigth: '() => 0' }), /logWeigth.*did you mean "logWeight"/],
    ['weight and doubt', entry({ doubt: '() => 0' }), /found weight and doubt/],
    [
      'a temperature of 0',
      "export default { name: 'x', needs: 'nothing', temperature: 0 };",
      /a number above 0, found 0/,
    ],
    [
      'a weight below 0',
      entry({ weight: '() => -1' }),
      /the method "x" gave -1 for an example; expected a weight of 0/,
    ],
    ['a weight that is NaN', entry({ weight: '() => NaN' }), /gave NaN for an example/],
    ['a weight that is text', entry({ weight: '() => "1"' }), /gave "1" for an example/],
    ['a weight that is a BigInt', entry({ weight: '() => 1n' }), /gave 1 for an example/],
    ['a weight that is a symbol', entry({ weight: "() => Symbol('s')" }), /gave Symbol\(s\) for an example/],
    ['a weight that comes later', entry({ weight: 'async () => 1' }), /gave a promise for an example/],
    ['a field that throws', "export default { get name() { throw new Error('no'); } };", /cannot be read: Error: no/],
    [
      'a fault without words',
      entry({ weight: '() => { throw Object.create(null); }' }),
      /failed: something without words/,
    ],
    ['no weight returned', entry({ weight: '() => {}' }), /gave undefined for an example/],
    ['a fault of its own', entry({ weight: '(s) => s.labels[0]' }), /bad\.mjs: the method "x" failed: Cannot read/],
    ['a doubt that is NaN', "export default { name: 'x', needs: 'pool', doubt: () => NaN };", /gave a doubt of NaN/],
  ])('is refused with %s: where, what was expected, what came', async (_, text, message) => {
    const file = text === null ? suite.file('not-there.mjs') : write('bad.mjs', text);
    const { code, stderr } = await calibrate([file]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(message)]);
  });

  it('is refused when two files have a method of one name, all faults together', async () => {
    const [a, b] = [write('a.mjs', entry({})), write('b.mjs', entry({}))];
    const bad = write('bad.mjs', entry({ needs: "'nothing'" }));
    const { stderr } = await calibrate([a, b, bad]);
    expect(stderr).toMatch(/b\.mjs.*the method "x" is already in .*a\.mjs/);
    expect(stderr).toMatch(/bad\.mjs.*expected own-base or references/);
  });

  it('changes no other column, whatever it writes to what it is given', async () => {
    const spoil = '(split) => { split.disagreement.fill(0); split.ownBaseSupport.fill(9); return 1; }';
    await calibrate([write('honest.mjs', entry({}))]);
    const before = read('results.json').runs.filter(({ method }: { method: string }) => method !== 'x');
    await calibrate([write('spoils.mjs', entry({ weight: spoil }))]);
    expect(read('results.json').runs.filter(({ method }: { method: string }) => method !== 'x')).toEqual(before);
  });

  it('is explained, with the names of the built-in ones, by the help of every command that reads them', async () => {
    for (const command of ['pipeline', 'calibrate', 'score', 'validate', 'doctor']) {
      expect((await run([command, '--help'])).stdout).toMatch(/--method-file[\s\S]*vanilla, cape, [\s\S]*oracle-ts/);
    }
  });
});

/** A module with one entry; fields are expressions. */
function entry(fields: Readonly<Record<string, string>>): string {
  const all = { name: "'x'", needs: "'own-base'", weight: '() => 1', ...fields };
  return `export default { ${Object.entries(all)
    .map(([field, value]) => `${field}: ${value}`)
    .join(', ')} };`;
}
