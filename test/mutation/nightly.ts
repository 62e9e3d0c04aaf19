import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeFigures } from '../fuzz/write-figures.js';
import { AREAS, type Area } from './areas.js';
import { areaLine, type MutationReport, scoreOf, survivorLines, TABLE_HEAD } from './mutation-table.js';

/**
 * Changes the sources in small ways by StrykerJS and sees whether a test notices:
 * `npm run test:mutation -- [--seed N] [--share S] [folder ...]`, folders of `src` as `areas.ts` lists them, all
 * without any. Prints what no test noticed. Writes the figures of all folders into docs/reliability.md when each has
 * been run, now or earlier, with the same seed. Exits 1 where a bar is missed.
 */
const root = path.resolve(import.meta.dirname, '../..');
const reports = path.join(root, 'reports', 'mutation');
const tool = path.join(root, 'scripts/mutation');
const stryker = path.join(tool, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const { seed, share, folders } = askedFor(process.argv.slice(2));
const areas = AREAS.filter(({ folder }) => folders.length === 0 || folders.includes(folder));
if (areas.length < Math.max(folders.length, 1))
  throw new Error(`areas: ${AREAS.map(({ folder }) => folder).join(' ')}`);

mkdirSync(reports, { recursive: true });
if (!existsSync(stryker)) run('npm', ['ci', '--silent', '--ignore-scripts', '--legacy-peer-deps', '--prefix', tool]);
for (const area of areas) {
  const drawn = { ...area, share: share ?? area.share };
  mutate(drawn);
  const report = reportOf(area);
  process.stdout.write(`${survivorLines(report).join('\n')}\n${TABLE_HEAD}\n${areaLine(drawn, report)}\n`);
  if (area.bar !== null && scoreOf(report).score < area.bar) process.exitCode = 1;
}
if (AREAS.every((area) => existsSync(fileOf(area)))) {
  const lines = AREAS.map((area) => areaLine(area, reportOf(area)));
  const command = `Written by \`npm run test:mutation -- --seed ${seed}\`.`;
  writeFigures(path.join(root, 'docs/reliability.md'), 'mutation', [TABLE_HEAD, ...lines, '', command].join('\n'));
}

function askedFor(args: readonly string[]) {
  const [folders, flags] = [[] as string[], new Map<string, number>()];
  for (let n = 0; n < args.length; n++) {
    const arg = args[n] ?? '';
    if (arg.startsWith('--')) flags.set(arg.slice(2), Number(args[++n]));
    else folders.push(arg);
  }
  return { folders, seed: flags.get('seed') ?? 1, share: flags.get('share') };
}

function fileOf({ folder }: Area): string {
  return path.join(reports, `${seed}-${folder.replaceAll('/', '-')}.json`);
}

function reportOf(area: Area): MutationReport {
  return JSON.parse(readFileSync(fileOf(area), 'utf8'));
}

function mutate(area: Area): void {
  const config = {
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner', path.join(tool, 'sample-checker.mjs')],
    checkers: ['sample'],
    mutate: [`src/${area.folder}/**/*.ts`],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    // Lines that run as a module loads need every test again, which takes two thirds of the time.
    ignoreStatic: true,
    // A mutant that never ends is found by its steps; a busy machine must not count as one.
    timeoutMS: 40_000,
    dryRunTimeoutMinutes: 30,
    tempDirName: 'reports/mutation/sandbox',
    ignorePatterns: ['/dist', '/cache', '/reports', '/docs', '/scripts/mutation/node_modules'],
    // StrykerJS would rewrite the settings through TypeScript's old API, which version 7 has not.
    tsconfigFile: 'none.json',
    disableTypeChecks: false,
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: path.relative(root, fileOf(area)) },
    allowConsoleColors: false,
  };
  const file = path.join(reports, `${area.folder.replaceAll('/', '-')}.config.json`);
  writeFileSync(file, JSON.stringify(config, null, 2));
  run(process.execPath, [stryker, 'run', file], {
    SUPPORTCAL_MUTATION_TESTS: JSON.stringify(area.tests),
    SUPPORTCAL_MUTATION_ISOLATE: String(area.isolate),
    SUPPORTCAL_MUTATION_SHARE: String(area.share),
    SUPPORTCAL_MUTATION_SEED: String(seed),
  });
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status } = spawnSync(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
