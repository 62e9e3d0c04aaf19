import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { lockSeekers } from '../../../src/cache/lock/lock-seekers.js';
import { tryOpenEntry } from '../../../src/cache/open-entry.js';
import { type OpenedRanges, openRanges } from '../../../src/cache/open-ranges.js';
import { completeEntry, testKey } from '../cache-fixture.js';
import { testIds, testRow } from '../test-ingredients.js';

export const ROWS = 150;
export const key = testKey();
export const ids = testIds(ROWS);
export const parts = (cacheDir: string) => join(cacheDir, `${key.name}.parts`);

/** Takes ranges until they hold so many rows that nobody has scored. */
export async function takeRanges(cacheDir: string, rows: number, seek = lockSeekers()) {
  const opened: OpenedRanges = await openRanges(cacheDir, key, { ids, rows, seek });
  if (opened.kind !== 'open') throw new Error(`the ranges are ${opened.kind}`);
  onTestFinished(() => opened.writer.release());
  const all = opened.ids.map((id) => testRow(id, ids.indexOf(id)));
  const open = () => all.filter(({ id }) => !opened.writer.completedIds().has(id));
  return { ...opened, rows: all, scoreRest: () => opened.writer.append(open()) };
}

/** Completes the entry, whose rows must all be there, and compares it with one that a single run wrote. */
export async function completeAndCompare(cacheDir: string, seek = lockSeekers()): Promise<void> {
  const whole = await tryOpenEntry(cacheDir, key, { ids, seek });
  if (whole?.kind !== 'open') throw new Error('the entry cannot be opened as a whole');
  await whole.writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
  await whole.writer.release();
  const alone = await completeEntry(key, testRow, ROWS);
  const file = `${key.name}.arrow`;
  expect(readFileSync(join(cacheDir, file)).equals(readFileSync(join(alone, file)))).toBe(true);
  expect(readdirSync(cacheDir).sort()).toEqual([file, `${key.name}.json`]);
}
