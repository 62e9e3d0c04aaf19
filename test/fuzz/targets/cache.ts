import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readImportedEntry, writeImportedEntry } from '../../../src/cache/imported-entry.js';
import { entryKey } from '../../../src/cache/key/entry-key.js';
import { listEntries, verifyEntries } from '../../../src/cache/list-entries.js';
import { openEntry } from '../../../src/cache/open-entry.js';
import { readParts } from '../../../src/cache/parts/part-files.js';
import { type EntryState, readEntry } from '../../../src/cache/read-entry.js';
import type { ScoreTable } from '../../../src/cache/table/score-table.js';
import { testIds, testIngredients, testRow } from '../../cache/test-ingredients.js';
import { type Ending, type FuzzTarget, WrongRow } from '../fuzz-case.js';
import { mutateBytes } from '../mutate-bytes.js';
import { mutateText } from '../mutate-text.js';
import type { Random } from '../random.js';

const COMPLETE = entryKey(testIngredients);
const OTHER = entryKey({ ...testIngredients, model: 'another' });
const GROWING = entryKey({ ...testIngredients, model: 'growing' });
const IDS = testIds(9);

/**
 * A cache with two complete entries, one import and one entry in parts, one file of which is changed, cut, removed,
 * renamed or replaced by another. Checksums cover every byte: whatever is still taken must be what was written.
 */
export const cacheFiles: FuzzTarget = {
  name: 'cache files',
  async prepare(folder) {
    const good = path.join(folder, 'good');
    await fill(good, COMPLETE, 0, true);
    await fill(good, OTHER, 50, true);
    await fill(good, GROWING, 100, false);
    const rows = IDS.map((id, n) => testRow(id, n + 7));
    const labels = IDS.map((_, n) => (n % 2 === 0 ? 0 : null));
    await writeImportedEntry(good, {
      model: 'm',
      dataset: 'd',
      datasetHash: null,
      rows,
      labels,
      unit: 'logits',
      sourceHash: 'f'.repeat(64),
      createdAt: '2026-01-01T00:00:00.000Z',
    });
  },
  async run(random, folder) {
    const cache = path.join(folder, 'good');
    const undo = changeOneFile(cache, random);
    try {
      return await ending(cache);
    } finally {
      undo();
    }
  },
};

async function ending(cache: string): Promise<Ending> {
  const damaged = [
    check(await readEntry(cache, COMPLETE), 0),
    check(await readEntry(cache, OTHER), 50),
    check(await readImportedEntry(cache, { model: 'm', dataset: 'd' }), 7),
    checkParts(await readParts(path.join(cache, `${GROWING.name}.parts`))),
  ].some((found) => found);
  await listEntries(cache);
  const named = (await verifyEntries(cache)).some(({ state }) => state === 'damaged');
  return damaged || named ? 'refused: damaged' : 'accepted';
}

async function fill(cache: string, key: ReturnType<typeof entryKey>, shift: number, complete: boolean): Promise<void> {
  const opened = await openEntry(cache, key, { ids: IDS });
  if (opened.kind !== 'open') return;
  await opened.writer.append(IDS.slice(0, 4).map((id, n) => testRow(id, n + shift)));
  await opened.writer.append(IDS.slice(4, complete ? 9 : 8).map((id, n) => testRow(id, n + 4 + shift)));
  if (complete) await opened.writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
  await opened.writer.release();
}

/** Changes one file; the function that it returns puts everything back. */
function changeOneFile(cache: string, random: Random): () => void {
  const files = filesOf(cache);
  const file = random.pick(files);
  const bytes = readFileSync(file);
  const kind = random.below(10);
  if (kind === 0) rmSync(file);
  else if (kind === 1) renameSync(file, otherName(file, files));
  else if (kind === 2) writeFileSync(file, readFileSync(random.pick(files)));
  else {
    const text = file.endsWith('.json') && random.chance(0.5);
    writeFileSync(file, text ? mutateText(bytes.toString(), random) : mutateBytes(bytes, random));
  }
  return () => {
    for (const each of filesOf(cache)) if (!files.includes(each)) rmSync(each);
    writeFileSync(file, bytes);
  };
}

function filesOf(cache: string): string[] {
  return (readdirSync(cache, { recursive: true }) as string[])
    .map((name) => path.join(cache, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}

/** Another digit in the name: another sequence, row count, checksum or key. */
function otherName(file: string, taken: readonly string[]): string {
  const name = path.basename(file).replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
  const renamed = path.join(path.dirname(file), name);
  return taken.includes(renamed) ? `${file}x` : renamed;
}

/** True when the entry is not taken; throws when other rows than those written are. */
function check(state: EntryState, shift: number): boolean {
  if (state.kind !== 'complete') return true;
  if (state.table.ids.length !== IDS.length) throw new WrongRow(`${state.table.ids.length} rows`);
  compare(state.table, shift);
  return false;
}

function checkParts({ tables, damaged }: Awaited<ReturnType<typeof readParts>>): boolean {
  for (const table of tables) compare(table, 100);
  return damaged.length > 0 || tables.reduce((sum, { ids }) => sum + ids.length, 0) < 8;
}

function compare(table: ScoreTable, shift: number): void {
  table.ids.forEach((id, row) => {
    const expected = testRow(id, IDS.indexOf(id) + shift);
    const logits = table.logits.values.subarray(table.logits.offsets[row]!, table.logits.offsets[row + 1]!);
    const same =
      expected.status === 'ok'
        ? table.status[row] === 1 &&
          logits.length === expected.logits.length &&
          logits.every((z, k) => z === expected.logits[k])
        : table.status[row] === 0 && table.reasons[row] === expected.reason;
    if (!IDS.includes(id) || !same) throw new WrongRow(`${id} with ${[...logits].join(', ')}`);
  });
}
