import { setTimeout as sleep } from 'node:timers/promises';
import { pacedScorer, sharedRun } from '../test/pipeline/score/shared-runs.js';

/**
 * One scoring run of bench/shared-work.ts as a process of its own: `<options as JSON> <milliseconds a batch>`. Says
 * `ready` when its modules are loaded, begins at the first line that it is sent, and prints how many rows it scored.
 */
const [options = '{}', pause = '0'] = process.argv.slice(2);
const { scorer, rows } = pacedScorer({ batch: 8, pause: () => sleep(Number(pause)) });
const begin = new Promise((resolve) => process.stdin.once('data', resolve));
process.stdout.write('ready\n');
await begin;
const failed = await sharedRun(JSON.parse(options), scorer, { pollMs: 200 });
if (failed !== null && failed.size > 0) throw new Error(JSON.stringify([...failed]));
process.stdout.write(`${rows()}\n`);
process.stdin.destroy();
