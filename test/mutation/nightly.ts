import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeFigures } from '../fuzz/write-figures.js';
import { AREAS, type Area } from './areas.js';
import { areaLine, type Draw, type MutationReport, scoreOf, survivorLines, TABLE_HEAD } from './mutation-table.js';

/**
 * Changes the sources in small ways by StrykerJS and sees whether a test notices:
 * `npm run test:mutation -- [--seed N] [--share S] [folder ...]`, folders of `src` as `areas.ts` lists them, all
 * without any. Prints what no test noticed. Once every folder has been run, now or earlier, the figures of the latest
 * run of each go into docs/reliability.md. Exits 1 where a bar is missed.
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
  const report = reportIn(fileOf(area));
  process.stdout.write(
    `${survivorLines(report).join('\n')}\n${TABLE_HEAD}\n${areaLine(drawn, { seed, date: new Date() }, report)}\n`,
  );
  if (scoreOf(report).score < area.bar) process.exitCode = 1;
}
const latest = AREAS.flatMap((area) => latestOf(area) ?? []);
if (latest.length === AREAS.length) {
  const lines = latest.map(({ area, draw, report }) => areaLine(area, draw, report));
  const command = 'Each line written by `npm run test:mutation -- --seed <seed> <folder>`.';
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
  return path.join(reports, `${seed}-${nameOf(folder)}.json`);
}

function nameOf(folder: string): string {
  return folder.replaceAll('/', '-');
}

function reportIn(file: string): MutationReport {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The report of an area that was written last, whatever its seed. */
function latestOf(area: Area): { area: Area; draw: Draw; report: MutationReport } | null {
  const seeds = readdirSync(reports).flatMap((name) => {
    const drawnBy = /^(\d+)-(.+)\.json$/.exec(name);
    return drawnBy?.[2] === nameOf(area.folder) ? [{ name, drawnBy: Number(drawnBy[1]) }] : [];
  });
  const dated = seeds.map(({ name, drawnBy }) => {
    const file = path.join(reports, name);
    return { file, draw: { seed: drawnBy, date: statSync(file).mtime } };
  });
  const [last] = dated.sort((a, b) => b.draw.date.getTime() - a.draw.date.getTime());
  return last === undefined ? null : { area, draw: last.draw, report: reportIn(last.file) };
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
  const file = path.join(reports, `config-${nameOf(area.folder)}.json`);
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
