import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listEntries } from '../../src/cache/list-entries.js';
import { readComplete } from '../../src/cache/read-entry.js';
import type { ScoreTable } from '../../src/cache/table/score-table.js';
import { rowOf } from '../../src/numeric/ragged-rows.js';

/** How many options of one way of asking there are on both sides, and how far apart the worst of them are. */
interface Sums {
  rows: number;
  options: number;
  largest: number;
  /** Rows of the first side that the second lacks or failed. */
  missing: number;
  replies: number;
  same: number;
  parsed: [number, number];
}

/** One line for each way in which the models of both caches were asked. */
export async function compareScores(one: string, other: string): Promise<string[]> {
  const [files, served] = [await tables(one), await tables(other)];
  const byWay = new Map<string, Sums>();
  for (const [name, table] of files) {
    const way = wayOf(name);
    const sums = byWay.get(way) ?? { rows: 0, options: 0, largest: 0, missing: 0, replies: 0, same: 0, parsed: [0, 0] };
    byWay.set(way, sums);
    const twin = served.get(name);
    if (twin === undefined) sums.missing += table.ids.length;
    else if (table.replies === undefined) addScores(sums, table, twin, way);
    else addReplies(sums, table, twin);
  }
  return [...byWay].map(([way, sums]) => lineOf(way, sums));
}

function lineOf(way: string, { rows, options, largest, missing, replies, same, parsed }: Sums): string {
  const lacks = missing === 0 ? '' : `; ${missing} rows missing behind the server`;
  if (replies > 0)
    return `${way}: ${replies} replies, ${same} the same text, ${parsed.join(' and ')} could be read${lacks}`;
  return `${way}: ${rows} rows, ${options} numbers, largest difference ${largest.toExponential(2)}${lacks}`;
}

async function tables(folder: string): Promise<Map<string, ScoreTable>> {
  const found = new Map<string, ScoreTable>();
  for (const { name, state } of await listEntries(folder)) {
    if (state !== 'complete') continue;
    const file = join(folder, `${name}.json`);
    const entry = await readComplete(file, await readFile(file, 'utf8'), null);
    if (entry.kind === 'complete') found.set(name.replace(/-[0-9a-f]{12}$/, ''), entry.table);
  }
  return found;
}

/** The last parts of an entry's name say the data set and the way. */
function wayOf(name: string): string {
  const [, dataset = '', ...way] = name.split('--');
  const text = /^text-[a-z-]+/.exec(dataset)?.[0];
  return text ?? (way.join(' ').replace(/-+$/, '') || 'letters');
}

function addScores(sums: Sums, table: ScoreTable, twin: ScoreTable, way: string): void {
  const place = new Map(twin.ids.map((id, n) => [id, n]));
  for (const [n, id] of table.ids.entries()) {
    if (table.status[n] === 0) continue;
    const m = place.get(id);
    if (m === undefined || twin.status[m] === 0) {
      sums.missing++;
      continue;
    }
    const [mine, theirs] = [scores(table, n, way), scores(twin, m, way)];
    sums.rows++;
    for (const [k, value] of mine.entries()) {
      sums.options++;
      sums.largest = Math.max(sums.largest, Math.abs(value - (theirs[k] ?? Number.POSITIVE_INFINITY)));
    }
  }
}

/** Log-probabilities as they are; of several prompts in one row, each prompt's centred. */
function scores(table: ScoreTable, n: number, way: string): number[] {
  const row = Array.from(rowOf(table.logits, n));
  const logZ = table.logZ[n] ?? Number.NaN;
  if (!/rotations|p-true/.test(way)) return Number.isFinite(logZ) ? row.map((logit) => logit - logZ) : row;
  const size = /rotations/.test(way) ? Math.sqrt(row.length) : 2;
  return row.map((logit, k) => logit - meanOf(row.slice(k - (k % size), k - (k % size) + size)));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

function addReplies(sums: Sums, table: ScoreTable, twin: ScoreTable): void {
  const place = new Map(twin.ids.map((id, n) => [id, n]));
  const [mine, theirs] = [table.replies, twin.replies];
  if (mine === undefined || theirs === undefined) return;
  for (const [n, id] of table.ids.entries()) {
    const m = place.get(id);
    if (m === undefined) {
      sums.missing++;
      continue;
    }
    sums.replies++;
    if (mine.texts[n] === theirs.texts[m]) sums.same++;
    if (mine.verdicts[n] === 'parsed') sums.parsed[0]++;
    if (theirs.verdicts[m] === 'parsed') sums.parsed[1]++;
  }
}
