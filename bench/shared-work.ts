import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { arrowFiles } from '../test/pipeline/score/shared-runs.js';
import { projectOptions, writeProject } from './shared-work-project.js';

/**
 * How much faster several processes fill one cache than one does, with a scorer that sleeps in place of a model:
 * nothing but the sharing is measured. Times run from the moment when every process has its modules to the end of the
 * last one, and from the first batch that any of them begins to the last row.
 *
 *   node --import tsx bench/shared-work.ts [rows 1200] [milliseconds a batch of 8 rows 400] [processes 1,3,8] [mounts]
 *
 * `mounts`, by commas, show one shared folder: the first process has its cache in the first of them, and so on.
 */
const [rows = '1200', pause = '400', counts = '1,3,8', mounts] = process.argv.slice(2);
const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-shared-'));

function child(cache: string): ChildProcess {
  const options = JSON.stringify(projectOptions(folder, cache));
  const script = path.join(root, 'bench/shared-work-child.ts');
  const started = spawn(process.execPath, ['--import', 'tsx', script, options, pause], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return started;
}

const nextLine = (from: ChildProcess) =>
  new Promise<string>((resolve) => from.stdout?.once('data', (data) => resolve(String(data).trim())));

/** What a child says at its end. */
interface Share {
  readonly rows: number;
  /** When its first batch began and its last one ended; null: it scored nothing. */
  readonly first: number | null;
  readonly last: number;
}

interface Timed {
  /** From the start of all to the end of the last. */
  readonly seconds: number;
  /** From the first batch of any process to the last row of all. */
  readonly scoring: number;
  readonly shares: readonly Share[];
  readonly files: Record<string, string>;
}

async function timed(processes: number): Promise<Timed> {
  const places = (mounts ?? folder).split(',').map((place) => path.join(place, `cache-${processes}`));
  const [cache = ''] = places;
  const children = Array.from({ length: processes }, (_, n) => child(places[n % places.length] ?? cache));
  await Promise.all(children.map(nextLine));
  const ends = children.map(nextLine);
  const start = performance.now();
  for (const each of children) each.stdin?.write('go\n');
  const shares = (await Promise.all(ends)).map((line): Share => JSON.parse(line));
  const seconds = (performance.now() - start) / 1000;
  const first = Math.min(...shares.flatMap((share) => share.first ?? []));
  const last = Math.max(...shares.map((share) => share.last));
  return { seconds, scoring: (last - first) / 1000, shares, files: arrowFiles(cache) };
}

writeProject(folder, Number(rows));
try {
  let alone: Timed | null = null;
  process.stdout.write(
    '| processes | s | times one | s from first to last row | times one | rows scored by each | bytes |\n',
  );
  process.stdout.write('|---:|---:|---:|---:|---:|---|---|\n');
  for (const count of counts.split(',').map(Number)) {
    const run = await timed(count);
    alone ??= run;
    const bytes = JSON.stringify(run.files) === JSON.stringify(alone.files) ? 'equal' : 'DIFFERENT';
    const speed = (of: 'seconds' | 'scoring') =>
      `${run[of].toFixed(1)} | ${((alone?.[of] ?? Number.NaN) / run[of]).toFixed(2)}`;
    const rowsOfEach = run.shares.map(({ rows }) => rows).join(', ');
    process.stdout.write(`| ${count} | ${speed('seconds')} | ${speed('scoring')} | ${rowsOfEach} | ${bytes} |\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
