import { rmSync } from 'node:fs';
import path from 'node:path';
import { Random } from '../fuzz/random.js';
import { writeFigures } from '../fuzz/write-figures.js';
import { demoProject } from './demo-run.js';
import { BATCH_ROWS, killTrial, type Trial, togetherTrial, wholeRun } from './kill-trials.js';

/**
 * Kills demo scoring runs with SIGKILL, worker processes included, at random seeded points:
 * `npm run test:durability -- [kills] [seed] [rows a data set]`. Every second kill strikes at an operation on a
 * file of the cache (in the middle of a write after half of it), the others at a time. Then runs start two and eight
 * at once. Prints what went wrong, writes the figures into docs/reliability.md after at least 200 kills, exits 1 on a
 * failure.
 */
const [kills = 200, seed = 20261128, rows = 100] = process.argv.slice(2).map(Number);
/** Trials at a time, each on a cache of its own. */
const LANES = 3;
const say = (line: string) => process.stdout.write(`${line}\n`);
const project = demoProject(rows);
const whole = await wholeRun(project);
const total = [...whole.rows.values()].reduce((sum, count) => sum + count, 0);
say(`uninterrupted: ${total} rows, ${whole.files.size} entries, ${whole.steps} steps, ${whole.milliseconds} ms`);

const trials: Trial[] = [];
/** Times are drawn up to that of the shortest run so far, since other work on the machine makes some long. */
let shortest = whole.milliseconds;
let next = 0;
await Promise.all(
  Array.from({ length: LANES }, async () => {
    while (next < kills) {
      const n = next++;
      const random = new Random(seed, 'kill', n);
      const kill = n % 2 === 0 ? { step: 1 + random.below(whole.steps) } : { milliseconds: 1 + random.below(shortest) };
      const trial = await killTrial(project, whole, `kill-${n}`, kill);
      trials.push(trial);
      shortest = Math.min(shortest, trial.milliseconds);
      const { parts, complete, struck, again, faults } = trial;
      const when = struck ? 'killed' : 'had ended';
      say(
        `${n} ${JSON.stringify(kill)}: ${when}, ${parts} partial, ${complete} complete, ${again.join('+')} rows again`,
      );
      for (const fault of faults) say(`  FAULT ${fault}`);
    }
  }),
);

const together: { processes: number; faults: string[] }[] = [];
for (const processes of [2, 2, 2, 8, 8]) {
  const faults = await togetherTrial(project, whole, `together-${together.length}`, processes);
  together.push({ processes, faults });
  say(`${processes} at once: ${faults.length === 0 ? 'equal results, every row evaluated once' : faults.join('; ')}`);
}
rmSync(project.folder, { recursive: true, force: true });

const struck = trials.filter((trial) => trial.struck);
const failures = trials.filter(({ faults }) => faults.length > 0).length;
const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
const ofAll = trials.map((trial) => sum(trial.again));
const ofOne = trials.flatMap((trial) => trial.again);
const bad = together.filter(({ faults }) => faults.length > 0).length;
const of = (test: (trial: Trial) => boolean) => struck.filter(test).length;
const table = [
  '| injected | count | outcome |',
  '|---|---:|---|',
  `| SIGKILL of the process group, scoring ${total} rows into ${whole.files.size} entries | ${struck.length} of ${kills} struck before the run ended (${of(({ parts, complete }) => parts + complete === 0)} before the first entry, ${of(({ parts }) => parts > 0)} with entries in parts, ${of(({ parts, complete }) => parts === 0 && complete > 0)} with complete entries only) | ${kills - failures} of ${kills}: the next run ended with the bytes of an uninterrupted run and nothing left over; ${failures} failures |`,
  `| rows evaluated again after a kill, of one model | | at most ${Math.max(0, ...ofOne)} (a batch has ${BATCH_ROWS}) |`,
  `| the same of all models, two of which are scored at a time | | at most ${Math.max(0, ...ofAll)} of ${total}; ${(sum(ofAll) / Math.max(1, struck.length)).toFixed(1)} on average |`,
  `| two runs at once on one cache | ${together.filter(({ processes }) => processes === 2).length} | ${bad} failures in this row and the next: equal bytes, every row evaluated once |`,
  `| eight runs at once on one cache | ${together.filter(({ processes }) => processes === 8).length} | |`,
].join('\n');
say(table);
if (kills >= 200) {
  const file = path.resolve(import.meta.dirname, '../../docs/reliability.md');
  writeFigures(
    file,
    'durability',
    `${table}\n\nWritten by \`npx tsx test/durability/nightly.ts ${kills} ${seed} ${rows}\`.`,
  );
}
process.exitCode = failures + bad === 0 ? 0 : 1;
