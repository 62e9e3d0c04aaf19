import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadModels } from '../../src/config/load-models.js';
import { planSuite } from '../../src/config/plan-suite.js';
import { doctor } from '../../src/pipeline/doctor.js';
import { run } from './fake-io.js';

const root = path.resolve(import.meta.dirname, '../..');
const section = readFileSync(path.join(root, 'README.md'), 'utf8')
  .split('## Reproduce the paper')[1]!
  .split('\n## ')[0]!;
const commands = [...section.matchAll(/^npm run (supportcal|pipeline|score) -- ([^#\n]+)/gm)].map(
  ([, script, rest]) => {
    const words = rest!.trim().split(/\s+/);
    const [command, ...args] = script === 'supportcal' ? words : [script!, ...words];
    return { command: command!, args, flag: (name: string) => args[args.indexOf(name) + 1] };
  },
);
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ROWS: Readonly<Record<string, object>> = {
  medmcqa: { id: 'q', question: 'x?', opa: 'a', opb: 'b', opc: 'c', opd: 'd', cop: 0 },
  mathqa: { Problem: 'x ?', options: 'a ) 1 , b ) 2 , c ) 3 , d ) 4 , e ) 5', correct: 'c' },
  'tweeteval-sentiment': { text: 'x', label: 1 },
};

/** A file with one row of the form that the hub has. */
function rowsOf(dataset: string): string {
  const file = path.join(folder, `${dataset}.jsonl`);
  writeFileSync(file, `${JSON.stringify(ROWS[dataset])}\n`);
  return file;
}

describe('the commands of "Reproduce the paper" in the README', () => {
  it('run every paper suite of models.yaml', async () => {
    const { suites } = await loadModels(path.join(root, 'models.yaml'));
    const run = commands.filter(({ command }) => command === 'pipeline').map(({ flag }) => flag('--suite'));
    expect(run.sort()).toEqual(
      Object.keys(suites)
        .filter((name) => name.startsWith('paper-'))
        .sort(),
    );
  });

  it.each(commands.map(({ command, args }) => [[command, ...args].join(' '), command, args] as const))(
    '`%s` has flags that its command knows',
    async (_line, command, args) => {
      const { stdout } = await run([command, '--help']);
      for (const flag of args.filter((arg) => arg.startsWith('--')))
        expect(stdout).toMatch(new RegExp(`^ +${flag}\\b`, 'm'));
    },
  );

  it.each(commands.filter(({ command }) => command !== 'ls').map(({ args, flag }) => [args.join(' '), flag] as const))(
    '`%s` names a suite whose models, data sets and printed numbers load, and all of whose sizes are known',
    async (line, flag) => {
      const report = await doctor(
        {
          suite: flag('--suite')!,
          gpu: 'off',
          refresh: false,
          offline: true,
          models: path.join(root, 'models.yaml'),
          datasets: path.join(root, 'datasets'),
          cache: path.join(folder, 'cache'),
          out: path.join(folder, 'out'),
          ...(line.includes('--quant') && { quant: flag('--quant')! }),
        },
        { probe: async () => ({ ok: true, device: 'a CPU' }) },
      );
      const { download, hours, cacheBytes, models } = report.estimate!;
      expect([download.files, download.unknown]).toEqual([models.length, 0]);
      expect([hours! > 0, cacheBytes! > 0]).toEqual([true, true]);
      expect(report.problems.filter((problem) => !/would not fit|of disk/.test(problem))).toEqual([]);
    },
  );

  it.each(commands.filter(({ command }) => command === 'pipeline').map(({ flag }) => flag('--suite')!))(
    'pipeline --suite %s without any model file says why, and what to write instead, once per model',
    async (suite) => {
      const plan = planSuite(await loadModels(path.join(root, 'models.yaml')), { suite });
      const places = ['--models', path.join(root, 'models.yaml'), '--datasets', path.join(root, 'datasets')];
      const made = ['--cache', path.join(folder, 'cache'), '--out', path.join(folder, suite), '--gpu', 'off'];
      const sources = plan.datasets.flatMap((dataset) => ['--source', `${dataset}=${rowsOf(dataset)}`]);
      const { code, stderr } = await run(['pipeline', '--suite', suite, '--offline', ...places, ...made, ...sources]);
      const lines = stderr.trim().split('\n');
      expect([code, lines[0]]).toEqual([3, 'error: no target of the suite can be calibrated:']);
      const named = lines
        .slice(1)
        .map((line) =>
          /^error: (\S+) on [\w, -]+: \S+ at main: is not in the cache, and --offline .*models\.local\.yaml.*\{ id: (\S+), file: PATH/.exec(
            line,
          ),
        );
      expect(named.map((match) => match?.[1]).sort()).toEqual(plan.models.map(({ id }) => id).sort());
      expect(named.every((match) => match![1] === match![2])).toBe(true);
    },
  );

  it('give the numbers of its table', async () => {
    const rows = [...section.matchAll(/^\| `(paper-\w+)` \| (\d+)[^|]*\| (\d+) GB \| (\d+) GB \|$/gm)];
    expect(rows).toHaveLength(5);
    for (const [, suite, count, gigabytes, largest] of rows) {
      const { estimate } = await doctor(
        {
          suite: suite!,
          gpu: 'off',
          refresh: false,
          offline: true,
          models: path.join(root, 'models.yaml'),
          datasets: path.join(root, 'datasets'),
          cache: path.join(folder, 'cache'),
          out: path.join(folder, 'out'),
        },
        { probe: async () => ({ ok: true, device: 'a CPU' }) },
      );
      const most = Math.max(...estimate!.models.map(({ memory }) => memory!));
      const said = [estimate!.models.length, Math.round(estimate!.download.bytes / 1e9), Math.round(most / 1e9)];
      expect([suite, ...said]).toEqual([suite, Number(count), Number(gigabytes), Number(largest)]);
    }
  });
});
