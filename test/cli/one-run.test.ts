import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { calibrateStage } from '../../src/pipeline/calibrate-stage.js';
import { run } from './fake-io.js';
import { type ImportedSuite, importAll, importedSuite } from './imported-suite.js';

let suite: ImportedSuite;
const calibrate = (out: string, seeds: string) =>
  run(['calibrate', '--suite', 's', '--out', suite.file(out), ...suite.flags, '--seeds', seeds]);
const report = (out: string) => run(['report', '--out', suite.file(out)]);
const read = (name: string) => JSON.parse(readFileSync(suite.file(name), 'utf8'));

beforeAll(async () => {
  suite = importedSuite();
  await importAll(suite);
  expect((await calibrate('one', '1,2')).code).toBe(0);
  expect((await calibrate('two', '3,4')).code).toBe(0);
});

describe('a folder with files of two runs, as a kill between two renames leaves it', () => {
  it.each(['results.json', 'splits.json', 'diagnostics.json', 'manifest.json'])(
    'is refused where %s is of the other run, named; the page of before stays',
    async (name) => {
      const out = `mixed-${name}`;
      cpSync(suite.file('one'), suite.file(out), { recursive: true });
      expect((await report(out)).code).toBe(0);
      const page = readFileSync(suite.file(`${out}/report.html`), 'utf8');
      copyFileSync(suite.file(`two/${name}`), suite.file(`${out}/${name}`));
      const { code, stderr } = await report(out);
      expect([code, stderr]).toEqual([3, expect.stringMatching(/holds files of more than one run/)]);
      if (name !== 'manifest.json') expect(stderr).toContain(`${name}: is not the file that manifest.json was`);
      expect(readFileSync(suite.file(`${out}/report.html`), 'utf8')).toBe(page);
    },
  );

  it('is refused where a file is gone, and taken where only its line ends were changed', async () => {
    cpSync(suite.file('one'), suite.file('ends'), { recursive: true });
    const results = readFileSync(suite.file('ends/results.json'), 'utf8');
    writeFileSync(suite.file('ends/results.json'), results.replaceAll('\n', '\r\n'));
    expect((await report('ends')).code).toBe(0);
    rmSync(suite.file('ends/splits.json'));
    expect((await report('ends')).stderr).toContain('splits.json: is missing, though manifest.json names it');
  });

  it('of an earlier version, whose manifest names no files, is compared by its time', async () => {
    cpSync(suite.file('one'), suite.file('early'), { recursive: true });
    const { documents: _, ...manifest } = read('early/manifest.json');
    writeFileSync(suite.file('early/manifest.json'), JSON.stringify(manifest));
    expect((await report('early')).code).toBe(0);
    writeFileSync(suite.file('early/manifest.json'), JSON.stringify({ ...manifest, createdAt: '2001-01-01' }));
    expect((await report('early')).stderr).toMatch(/is of the run of .*, manifest\.json of that of 2001-01-01/);
  });

  it('gives compare its numbers, without the manifest of the other run', async () => {
    cpSync(suite.file('one'), suite.file('compared'), { recursive: true });
    const results = read('compared/results.json');
    writeFileSync(suite.file('compared/results.json'), JSON.stringify({ ...results, warnings: ['changed'] }));
    const { code, stdout, stderr } = await run(['compare', suite.file('compared'), suite.file('two')]);
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.stringMatching(/is not the file that manifest\.json was/)]);
  });
});

describe('the manifest of a run', () => {
  it('has the hashes of the YAML files as they were read, whatever they have become meanwhile', async () => {
    const [models, datasets, cache] = ['models.yaml', 'datasets', 'cache'].map((name) => suite.file(name));
    const yaml = suite.file('datasets/quiz.yaml');
    const before = [models!, yaml].map((file) => readFileSync(file, 'utf8'));
    const onStage = (stage: string) => {
      if (stage !== 'calibrate') return;
      for (const file of [models!, yaml]) appendFileSync(file, '# edited while the run was at work\n');
    };
    const options = { suite: 's', models: models!, datasets: datasets!, cache: cache!, gpu: 'off', refresh: false };
    await calibrateStage({ ...options, gpu: 'off', out: suite.file('edited') }, { onStage });
    const { modelsFile, datasets: read } = JSON.parse(readFileSync(suite.file('edited/manifest.json'), 'utf8'));
    expect(readFileSync(yaml, 'utf8')).not.toBe(before[1]);
    expect([modelsFile.sha256, read[0].sha256]).toEqual(
      before.map((text) => createHash('sha256').update(text).digest('hex')),
    );
  });
});

describe('a results.json of a stranger', () => {
  it.each([
    ['results.json', 1e308],
    ['results.json', -1e308],
    ['diagnostics.json', 1e308],
  ])('whose numbers in %s are %d is bad input, with the field', async (name, number) => {
    const out = `odd-${name}-${number}`;
    cpSync(suite.file('one'), suite.file(out), { recursive: true });
    rmSync(suite.file(`${out}/manifest.json`));
    const document = read(`${out}/${name}`);
    const [row] = name === 'results.json' ? document.summary : document.reliability[0].bins;
    row[name === 'results.json' ? 'eceMeanPp' : 'accuracy'] = number;
    writeFileSync(suite.file(`${out}/${name}`), JSON.stringify(document));
    const { code, stderr } = await report(out);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/\.(eceMeanPp|accuracy): expected a number of ordinary/)]);
  });

  it('with the smallest number there is, or a count of 1e15, is shown or is bad input, never a fault of ours', async () => {
    for (const [field, number] of [
      ['eceMeanPp', 5e-324],
      ['seeds', 1e15],
    ] as const) {
      const out = `small-${field}`;
      cpSync(suite.file('one'), suite.file(out), { recursive: true });
      rmSync(suite.file(`${out}/manifest.json`));
      const document = read(`${out}/results.json`);
      for (const row of document.summary) row[field] = number;
      writeFileSync(suite.file(`${out}/results.json`), JSON.stringify(document));
      expect([0, 3, 4]).toContain((await report(out)).code);
    }
  });
});

describe('two runs at once in one folder', () => {
  it('write one after the other: what is left is of one run', async () => {
    const ends = await Promise.all([calibrate('shared', '5,6'), calibrate('shared', '7,8')]);
    expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0]);
    const seeds = read('shared/results.json').protocol.seeds.map(String);
    expect(Object.keys(read('shared/splits.json').quiz)).toEqual(seeds);
    expect((await report('shared')).code).toBe(0);
    expect(readdirSync(suite.file('shared')).filter((name) => /lock|tmp|owner/.test(name))).toEqual([]);
  });
});

describe('a run folder from elsewhere with links in it', () => {
  it.each(['tables', 'figures'])('is refused before anything is written or removed through %s', async (folder) => {
    const [out, victim] = [suite.file(`linked-${folder}`), suite.file(`victim-${folder}`)];
    cpSync(suite.file('one'), out, { recursive: true });
    expect((await run(['report', '--out', out])).code).toBe(0);
    renameSync(path.join(out, folder), victim);
    writeFileSync(path.join(victim, 'old.csv'), 'precious');
    const list = path.join(out, 'report-files.json');
    writeFileSync(
      list,
      JSON.stringify({ files: [...JSON.parse(readFileSync(list, 'utf8')).files, `${folder}/old.csv`] }),
    );
    symlinkSync(victim, path.join(out, folder));
    const before = readdirSync(victim);
    const { code, stderr } = await run(['report', '--out', out]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/is a link, and nothing is written through one/)]);
    expect(readdirSync(victim)).toEqual(before);
  });

  it.each(['report.md', 'report.html', 'report-files.json', 'manifest.json'])(
    'is refused where %s is one',
    async (name) => {
      const out = suite.file(`linked-${name}`);
      cpSync(suite.file('one'), out, { recursive: true });
      mkdirSync(suite.file('victims'), { recursive: true });
      const victim = suite.file(`victims/${name}`);
      const precious = name === 'manifest.json' ? readFileSync(path.join(out, name), 'utf8') : 'precious';
      writeFileSync(victim, precious);
      rmSync(path.join(out, name), { force: true });
      symlinkSync(victim, path.join(out, name));
      expect((await run(['report', '--out', out])).code).toBe(3);
      expect((await calibrate(`linked-${name}`, '1,2')).code).toBe(name === 'manifest.json' ? 3 : 0);
      expect(readFileSync(victim, 'utf8')).toBe(precious);
    },
  );

  it('gets no run.log through one, and says so', async () => {
    const out = suite.file('logged');
    mkdirSync(out);
    writeFileSync(suite.file('precious.log'), 'precious');
    symlinkSync(suite.file('precious.log'), path.join(out, 'run.log'));
    const { code, stderr } = await calibrate('logged', '1,2');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/run\.log cannot be written/)]);
    expect(readFileSync(suite.file('precious.log'), 'utf8')).toBe('precious');
  });

  it('gets no exported temperatures through one', async () => {
    const out = suite.file('exported');
    mkdirSync(out);
    mkdirSync(suite.file('elsewhere'));
    symlinkSync(suite.file('elsewhere'), path.join(out, 'calibration'));
    const { code } = await run(['export', '--suite', 's', '--out', out, ...suite.flags]);
    expect([code, readdirSync(suite.file('elsewhere'))]).toEqual([3, []]);
  });
});
