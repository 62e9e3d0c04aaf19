import { setTimeout as sleep } from 'node:timers/promises';
import { pacedScorer, sharedRun } from '../test/pipeline/score/shared-runs.js';

/**
 * One scoring run of bench/shared-work.ts as a process of its own: `<options as JSON> <milliseconds a batch>`. Says
 * `ready` when its modules are loaded, begins at the first line that it is sent, and prints how many rows it scored and
 * when its first batch began and its last one ended, in milliseconds since 1970.
 */
const [options = '{}', pause = '0'] = process.argv.slice(2);
const now = () => performance.timeOrigin + performance.now();
let first: number | null = null;
let last = 0;
const { scorer, rows } = pacedScorer({
  batch: 8,
  async pause() {
    first ??= now();
    await sleep(Number(pause));
    last = now();
  },
});
const begin = new Promise((resolve) => process.stdin.once('data', resolve));
process.stdout.write('ready\n');
await begin;
const failed = await sharedRun(JSON.parse(options), scorer, { pollMs: 200 });
if (failed !== null && failed.size > 0) throw new Error(JSON.stringify([...failed]));
process.stdout.write(`${JSON.stringify({ rows: rows(), first, last })}\n`);
process.stdin.destroy();
