import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.js';

/**
 * Puts one small fault after the other into a copy of the tree and sees whether the tests that guard the place fail:
 * `npm run test:planted -- [words of a fault]`. The tests must pass without a fault first. Exits 1 when a fault passes
 * all of them, or when its place has changed.
 */
const root = path.resolve(import.meta.dirname, '../..');
const words = process.argv.slice(2).join(' ');
const faults = PLANTED_FAULTS.filter(({ fault, file }) => `${file} ${fault}`.includes(words));
const copy = treeCopy();
let unnoticed = 0;
try {
  const all = [...new Set(faults.flatMap(({ tests }) => tests))];
  if (faults.length > 0 && failures(all) > 0) throw new Error(`tests fail without any fault: ${all.join(' ')}`);
  for (const fault of faults) {
    const verdict = trial(fault);
    if (verdict !== 'noticed') unnoticed++;
    process.stdout.write(`${verdict.padEnd(10)} ${fault.file}: ${fault.fault}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`${faults.length - unnoticed} of ${faults.length} faults were noticed\n`);
process.exitCode = faults.length > 0 && unnoticed === 0 ? 0 : 1;

/** All files that belong to the project, as they are now, with the packages that are installed here. */
function treeCopy(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-planted-'));
  const list = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of list.split('\0').filter((name) => name !== '')) {
    cpSync(path.join(root, file), path.join(folder, file));
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

function trial({ file, from, to, tests }: PlantedFault): string {
  const place = path.join(copy, 'src', file);
  const sound = readFileSync(place, 'utf8');
  const [before, after, ...more] = sound.split(from);
  if (before === undefined || after === undefined || more.length > 0) return 'no place';
  writeFileSync(place, before + to + after);
  try {
    return failures(tests) > 0 ? 'noticed' : 'SURVIVED';
  } finally {
    writeFileSync(place, sound);
  }
}

/**
 * How many of the tests fail. A source that cannot be read, or tests that are not there, are no finding but an error.
 */
function failures(tests: readonly string[]): number {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const names = tests.map((name) => `test/${name}`);
  const command = [vitest, 'run', '--bail', '1', '--reporter', 'json', ...names];
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const report = stdout.slice(Math.max(stdout.indexOf('{"numTotal'), 0));
  if (!report.startsWith('{')) throw new Error(`vitest ended without a report:\n${stdout}\n${stderr}`);
  const { numFailedTests, numTotalTests, testResults } = JSON.parse(report);
  const broken = testResults.find((file: { message: string }) => numFailedTests === 0 && file.message !== '');
  if (numTotalTests === 0 || broken !== undefined) throw new Error(`${names}: ${broken?.message ?? 'no tests'}`);
  return numFailedTests;
}
