/**
 * Reads cache entries with pyarrow and compares every column with the rows that were stored:
 *
 *   npx tsx bench/read-with-pyarrow.ts PYTHON
 *
 * PYTHON has pyarrow. Entries of 1, 7, 8, 9, 518 and 2,565 rows of scores and of replies, with nulls. Exits 1 on a
 * difference. `npm test` does the same with flechette.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { entryKey } from '../src/cache/key/entry-key.js';
import { openEntry } from '../src/cache/open-entry.js';
import { expectedColumns, expectedReply } from '../test/cache/expected-columns.js';
import { testIds, testIngredients, testReply, testRow } from '../test/cache/test-ingredients.js';
import { write } from './measure.js';

const READ = `
import json, sys, pyarrow, pyarrow.ipc
table = pyarrow.ipc.open_file(sys.argv[1]).read_all()
table.validate(full=True)
json.dump({"version": pyarrow.__version__, "rows": table.to_pylist()}, sys.stdout)
`;

const [python = 'python3'] = process.argv.slice(2);
const cache = mkdtempSync(path.join(tmpdir(), 'supportcal-pyarrow-'));
const kinds = [
  { what: 'scores', rowOf: testRow, expected: expectedColumns },
  {
    what: 'replies',
    rowOf: testReply,
    expected: (row: ReturnType<typeof testReply>) => ({ ...expectedColumns(row), ...expectedReply(row) }),
  },
];
try {
  for (const { what, rowOf, expected } of kinds) {
    for (const count of [1, 7, 8, 9, 518, 2565]) {
      const key = entryKey({ ...testIngredients, scoringMode: what, variant: String(count) });
      const rows = testIds(count).map(rowOf);
      const opened = await openEntry(cache, key, { ids: rows.map(({ id }) => id) });
      if (opened.kind !== 'open') throw new Error('the entry is complete already');
      await opened.writer.append(rows);
      await opened.writer.complete({}, new Date().toISOString());
      await opened.writer.release();
      const output = execFileSync(python, ['-c', READ, path.join(cache, `${key.name}.arrow`)], {
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      });
      const read = JSON.parse(output);
      const same = isDeepStrictEqual(
        read.rows,
        rows.map((row) => expected(row as never)),
      );
      write(
        `${count} rows of ${what}, read by pyarrow ${read.version}: ${same ? 'equal in every column' : 'DIFFERENT'}`,
      );
      if (!same) process.exitCode = 1;
    }
  }
} finally {
  rmSync(cache, { recursive: true });
}
