import { rmSync } from 'node:fs';
import path from 'node:path';
import { Random } from '../fuzz/random.js';
import { writeFigures } from '../fuzz/write-figures.js';
import { type DemoProject, demoProject } from './demo-run.js';
import { killTable, type Together, togetherTable } from './durability-tables.js';
import { killTrial, type Trial, togetherTrial, type WholeRun, wholeRun } from './kill-trials.js';

/**
 * Starts demo scoring runs two and eight at once, then kills such runs with SIGKILL, worker processes included, at
 * random seeded points: `npm run test:durability -- [kills] [seed] [rows a data set] [minutes]`. Every second kill
 * strikes at an operation on a file of the cache (in the middle of a write after half of it), the others at a time.
 * After the given minutes no further kill is begun. Prints what happens and what went wrong. After at least 200 kills
 * were asked for, each part writes its figures into docs/reliability.md, also when it was cut short by the time, a
 * signal or an error of its own, which the figures then say. Exits 1 on a failure.
 */
const [kills = 200, seed = 20261128, rows = 34, minutes = 9.5] = process.argv.slice(2).map(Number);
/** Trials at a time, each on a cache of its own. */
const LANES = 3;
const TOGETHER = [2, 2, 2, 8, 8];
const started = Date.now();
const say = (line: string) => {
  const seconds = ((Date.now() - started) / 1000).toFixed(0).padStart(4);
  process.stdout.write(`${seconds} s  ${line}\n`);
};
let stopped: string | null = null;
const timeLeft = () => minutes * 60_000 - (Date.now() - started);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopped = `stopped by ${signal}`;
    say(`${stopped}: what has been begun is brought to its end, then the figures are written (again: ends at once)`);
  });

const project = demoProject(rows);
let failures = 0;
try {
  const whole = await wholeRun(project);
  const total = [...whole.rows.values()].reduce((sum, count) => sum + count, 0);
  say(`uninterrupted: ${total} rows, ${whole.files.size} entries, ${whole.steps} steps, ${whole.milliseconds} ms`);
  const together: Together[] = [];
  await part(
    'concurrency',
    () => startTogether(project, whole, together),
    () => togetherTable(together),
  );
  const trials: Trial[] = [];
  await part(
    'durability',
    () => kill(project, whole, trials),
    () => killTable(trials, kills, whole),
  );
} finally {
  rmSync(project.folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

/** Runs one part and writes its figures, whatever became of it. */
async function part(name: string, run: () => Promise<void>, table: () => { markdown: string; failures: number }) {
  const notes: string[] = [];
  try {
    await run();
  } catch (error) {
    failures++;
    notes.push(`This part ended early: ${error instanceof Error ? error.message : error}.`);
    say(`FAULT ${notes[0]}`);
  }
  const { markdown, failures: bad } = table();
  failures += bad;
  if (stopped !== null) notes.push(`It was ${stopped}.`);
  const command = `Written by \`npm run test:durability -- ${kills} ${seed} ${rows} ${minutes}\`.`;
  process.stdout.write(`${markdown}\n`);
  if (kills < 200) return;
  const file = path.resolve(import.meta.dirname, '../../docs/reliability.md');
  writeFigures(file, name, [markdown, '', ...notes, command].join('\n'));
}

async function startTogether(project: DemoProject, whole: WholeRun, together: Together[]): Promise<void> {
  for (const processes of TOGETHER) {
    if (stopped !== null) return;
    const faults = await togetherTrial(project, whole, `together-${together.length}`, processes);
    together.push({ processes, faults });
    say(`${processes} at once: ${faults.length === 0 ? 'equal results, every row evaluated once' : faults.join('; ')}`);
  }
}

async function kill(project: DemoProject, whole: WholeRun, trials: Trial[]): Promise<void> {
  /** Times are drawn up to that of the shortest run so far, since other work on the machine makes some long. */
  let shortest = whole.milliseconds;
  let next = 0;
  const lane = async () => {
    while (next < kills && timeLeft() > 0 && stopped === null) {
      const n = next++;
      const random = new Random(seed, 'kill', n);
      const at = n % 2 === 0 ? { step: 1 + random.below(whole.steps) } : { milliseconds: 1 + random.below(shortest) };
      const trial = await killTrial(project, whole, `kill-${n}`, at);
      trials.push(trial);
      shortest = Math.min(shortest, trial.milliseconds);
      const { parts, complete, struck, again, faults } = trial;
      const when = struck ? 'killed' : 'had ended';
      say(
        `${trials.length} of ${kills} (${n}): ${JSON.stringify(at)}: ${when}, ${parts} partial, ${complete} complete, ${again.join('+')} rows again`,
      );
      for (const fault of faults) say(`  FAULT ${fault}`);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (trials.length < kills) say(`${kills - trials.length} kills were not begun: ${stopped ?? 'the time was up'}`);
}
