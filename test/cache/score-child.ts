import { entryKey } from '../../src/cache/entry-key.js';
import { openEntry } from '../../src/cache/open-entry.js';
import { testIds, testIngredients, testRow } from './test-ingredients.js';

/**
 * A scoring run as a process of its own: `score-child.ts <cache folder> <rows> <rows after which to hang, or 0>`.
 * Prints how many rows it scored itself.
 */
const [cacheDir, rowCount, hangAfter] = process.argv.slice(2);
const ids = testIds(Number(rowCount));
let scored = 0;
const opened = await openEntry(cacheDir!, entryKey(testIngredients), { ids, pollMs: 10 });
if (opened.kind === 'open') {
  const { writer } = opened;
  const batch = 5;
  for (let start = 0; start < ids.length; start += batch) {
    const open = ids.slice(start, start + batch).filter((id) => !writer.completedIds().has(id));
    await writer.append(open.map((id) => testRow(id, ids.indexOf(id))));
    scored += open.length;
    if (scored === Number(hangAfter)) {
      process.stdout.write('hanging\n');
      await new Promise(() => setInterval(() => undefined, 1000));
    }
  }
  await writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
  await writer.release();
}
process.stdout.write(`scored ${scored}\n`);
