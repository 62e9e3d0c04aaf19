import { entryKey } from '../../../src/cache/key/entry-key.js';
import { lockSeekers } from '../../../src/cache/lock/lock-seekers.js';
import { openRanges } from '../../../src/cache/open-ranges.js';
import type { SupportCalError } from '../../../src/errors/supportcal-error.js';
import { testIds, testIngredients, testRow } from '../test-ingredients.js';

/**
 * A run that holds the first range of an entry, as a process of its own: `ranges-child.ts <cache folder> <rows>`. It
 * keeps five rows, says so, and goes on when it is sent a line. Prints how it ended.
 */
const [cacheDir = '', rowCount] = process.argv.slice(2);
const ids = testIds(Number(rowCount));

async function score(): Promise<string> {
  const opened = await openRanges(cacheDir, entryKey(testIngredients), { ids, rows: 1, seek: lockSeekers() });
  if (opened.kind !== 'open') return opened.kind;
  const { writer, ids: own } = opened;
  const rows = own.map((id) => testRow(id, ids.indexOf(id)));
  await writer.append(rows.slice(0, 5));
  process.stdout.write('hanging\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  await writer.append(rows.slice(5, 10));
  await writer.release();
  return 'done';
}

const end = await score().catch((error: SupportCalError) => error.code);
process.stdout.write(`${end}\n`);
process.stdin.destroy();
