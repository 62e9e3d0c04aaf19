import { entryKey } from '../../src/cache/key/entry-key.js';
import { openEntry } from '../../src/cache/open-entry.js';
import { testIds, testIngredients, testRow } from './test-ingredients.js';

/**
 * `node --expose-gc memory-child.ts FOLDER ROWS PART`: scores with a stub and prints the live heap, in bytes, after
 * each tenth of the rows.
 */
const [folder, rowCount, part] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
const ids = testIds(rowCount);
const opened = await openEntry(folder, entryKey(testIngredients), { ids });
if (opened.kind !== 'open') throw new Error('the entry is complete already');
const heap: number[] = [];
for (let n = 0; n < rowCount; n += part) {
  await opened.writer.append(ids.slice(n, n + part).map((id, k) => testRow(id, n + k)));
  if ((n + part) % (rowCount / 10) !== 0) continue;
  (globalThis as { gc?: () => void }).gc!();
  heap.push(process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers);
}
await opened.writer.release();
process.stdout.write(JSON.stringify(heap));
