import { setTimeout as sleep } from 'node:timers/promises';
import { lockEntry } from '../../src/cache/lock/entry-lock.js';

/** Takes a lock, holds it for so many seconds, and says whether it was its own all the time: `TARGET SECONDS`. */
const [target = '', seconds = '0'] = process.argv.slice(2);
process.stdout.write('waits\n');
const lock = await lockEntry(target);
const taken = performance.now();
process.stdout.write('taken\n');
let lostAfter: number | null = null;
while (lostAfter === null && performance.now() - taken < Number(seconds) * 1000) {
  await sleep(500);
  await lock.assertHeld().catch(() => {
    lostAfter = Math.round((performance.now() - taken) / 1000);
  });
}
await lock.release();
process.stdout.write(lostAfter === null ? 'kept\n' : `lost after ${lostAfter} s\n`);
