import { entryKey } from '../../src/cache/key/entry-key.js';
import { openEntry } from '../../src/cache/open-entry.js';
import type { SupportCalError } from '../../src/errors/supportcal-error.js';
import { testIds, testIngredients, testRow } from './test-ingredients.js';

/**
 * A scoring run as a process of its own: `score-child.ts <cache folder> <rows> <rows after which to hang, or 0>`. One
 * that hangs goes on when it is sent a line. Prints how many rows it scored itself, or the code of the error that it
 * ended in.
 */
const [cacheDir, rowCount, hangAfter] = process.argv.slice(2);
const ids = testIds(Number(rowCount));
const BATCH = 5;

async function score(): Promise<string> {
  let scored = 0;
  const opened = await openEntry(cacheDir!, entryKey(testIngredients), { ids, pollMs: 10 });
  if (opened.kind === 'complete') return 'scored 0';
  const { writer } = opened;
  for (let start = 0; start < ids.length; start += BATCH) {
    const open = ids.slice(start, start + BATCH).filter((id) => !writer.completedIds().has(id));
    await writer.append(open.map((id) => testRow(id, ids.indexOf(id))));
    scored += open.length;
    if (scored !== Number(hangAfter)) continue;
    process.stdout.write('hanging\n');
    await new Promise((resolve) => process.stdin.once('data', resolve));
  }
  await writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
  await writer.release();
  return `scored ${scored}`;
}

const end = await score().catch((error: SupportCalError) => error.code);
process.stdout.write(`${end}\n`);
process.stdin.destroy();
