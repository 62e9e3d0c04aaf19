import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, write } from './measure.js';

/*
 * The demo's pipeline with everything cached, as a whole process: `npm run pipeline` by the clock (bar 2 s), and the
 * same without npm by stage of its manifest ("start" is what comes before the first and after the last stage) and by
 * CPU, of the main thread and of all others together (helping threads, V8's compiler and collector; Linux alone). Busy
 * machines move the clock and, less, the CPU seconds. What the cache lacks is scored first, into the checkout's own
 * cache. A calibration whose input has not changed is taken from the cache as well; the last lines are of a run that
 * has none of those.
 *
 *   npx tsx bench/second-run.ts [runs, default 5] [flags of pipeline ...]
 */
const [runs = '5', ...flags] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-second-'));
const usage = path.join(folder, 'usage.json');
const preload = path.join(folder, 'usage.mjs');
writeFileSync(
  preload,
  `import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const all = (userCPUTime + systemCPUTime) / 1e6;
  let main = NaN;
  try {
    main = Number(readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ')[0]) / 1e9;
  } catch {}
  writeFileSync(${JSON.stringify(usage)}, JSON.stringify({ main, others: all - main, peak: maxRSS / 1024 }));
});\n`,
);
const script = ['scripts/supportcal.mjs', 'pipeline', '--out', folder, ...flags];
try {
  // Twice: the first run may build, the next one keeps what V8 compiled.
  for (let n = 0; n < 2; n++) await seconds(process.execPath, script);
  const columns: Record<string, number[]> = {};
  const add = (name: string, value: number) => {
    columns[name] ??= [];
    columns[name].push(value);
  };
  for (let n = 0; n < Number(runs); n++) {
    add('npm run pipeline', await seconds('npm', ['run', '--silent', 'pipeline', '--', '--out', folder, ...flags]));
    const wall = await seconds(process.execPath, ['--import', preload, ...script]);
    add('without npm', wall);
    const { run } = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
    for (const each of run.stages) add(`  ${each.stage}`, each.seconds);
    add('  start', wall - run.stages.reduce((sum: number, each: { seconds: number }) => sum + each.seconds, 0));
    const { main, others, peak } = JSON.parse(readFileSync(usage, 'utf8'));
    add('CPU of the main thread', main);
    add('CPU of all others', others);
    add('peak MiB', peak);
    rmSync(path.join(root, 'cache', 'calibrated'), { recursive: true, force: true });
    add('calibrated anew', await seconds(process.execPath, ['--import', preload, ...script]));
    const anew = JSON.parse(readFileSync(usage, 'utf8'));
    add('  CPU, all threads', anew.main + anew.others);
  }
  for (const [name, values] of Object.entries(columns)) {
    const digits = name === 'peak MiB' ? 0 : 2;
    write(`${name.padEnd(24)} least ${Math.min(...values).toFixed(digits)}, median ${median(values).toFixed(digits)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function seconds(command: string, args: readonly string[]): Promise<number> {
  const from = performance.now();
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code === 0) resolve((performance.now() - from) / 1000);
      else reject(new Error(`${command} ${args.join(' ')} ended with exit code ${code}`));
    });
  });
}
