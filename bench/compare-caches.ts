/**
 * How far the option logits of two caches are apart, for the same models and data sets scored in two ways (GPU and
 * CPU).
 *
 *   npx tsx bench/compare-caches.ts CACHE_A CACHE_B
 *
 * Every row's logits are centred first, since a softmax does not see a constant; the K orders of a CAPE row count one
 * by one. Of replies, how many are the same, and how many could be read in each.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listEntries } from '../src/cache/list-entries.js';
import { readComplete } from '../src/cache/read-entry.js';
import type { ScoreTable } from '../src/cache/table/score-table.js';
import { write } from './measure.js';

const [one = '', other = ''] = process.argv.slice(2);
const [a, b] = [await tables(one), await tables(other)];
const differences: number[] = [];
let rows = 0;
let otherPrediction = 0;
const replies = new Map<string, { count: number; same: number; sameAnswer: number; parsed: [number, number] }>();
for (const [name, table] of a) {
  const twin = b.get(name);
  if (twin === undefined) write(`only in the first: ${name}`);
  else if (table.replies !== undefined)
    compareReplies(/--elicitation-ensemble-?/.test(name) ? 'sampled' : 'greedy', table, twin);
  else compare(table, twin, name.includes('--rotations'));
}
differences.sort((x, y) => x - y);
const quantile = (q: number) => differences[Math.floor(q * (differences.length - 1))]!.toPrecision(2);
write(`${rows} rows in both, ${otherPrediction} of them with another predicted option`);
write(`centred logits differ by ${quantile(0.5)} (median), ${quantile(0.99)} (99 %), ${quantile(1)} (most)`);
for (const [kind, { count, same, sameAnswer, parsed }] of replies)
  write(
    `${count} ${kind} replies in both: ${same} the same, ${sameAnswer} with the same answer; read: ${parsed.join(' and ')}`,
  );

async function tables(folder: string): Promise<Map<string, ScoreTable>> {
  const found = new Map<string, ScoreTable>();
  for (const { name, state, manifest } of await listEntries(folder)) {
    if (state !== 'complete' || manifest === null) continue;
    const file = join(folder, `${name}.json`);
    const entry = await readComplete(file, await readFile(file, 'utf8'), null);
    if (entry.kind === 'complete') found.set(name.replace(/-[0-9a-f]{12}$/, ''), entry.table);
  }
  return found;
}

function compare(x: ScoreTable, y: ScoreTable, rotated: boolean): void {
  const place = new Map(y.ids.map((id, n) => [id, n]));
  for (const [n, id] of x.ids.entries()) {
    const m = place.get(id);
    if (m === undefined) continue;
    const [own, twin] = [parts(x, n, rotated), parts(y, m, rotated)];
    for (const [r, p] of own.entries()) {
      const q = twin[r]!;
      rows++;
      if (p.indexOf(Math.max(...p)) !== q.indexOf(Math.max(...q))) otherPrediction++;
      differences.push(...p.map((logit, k) => Math.abs(logit - q[k]!)));
    }
  }
}

function compareReplies(kind: string, x: ScoreTable, y: ScoreTable): void {
  const place = new Map(y.ids.map((id, n) => [id, n]));
  const sums = replies.get(kind) ?? { count: 0, same: 0, sameAnswer: 0, parsed: [0, 0] as [number, number] };
  replies.set(kind, sums);
  for (const [n, id] of x.ids.entries()) {
    const m = place.get(id);
    const [p, q] = [x.replies, y.replies];
    if (m === undefined || p === undefined || q === undefined) continue;
    sums.count++;
    if (p.texts[n] === q.texts[m]) sums.same++;
    if (p.answers[n] === q.answers[m]) sums.sameAnswer++;
    if (p.verdicts[n] === 'parsed') sums.parsed[0]++;
    if (q.verdicts[m] === 'parsed') sums.parsed[1]++;
  }
}

/** Centred logits: one list, or one per order of the options. */
function parts({ logits: { values, offsets } }: ScoreTable, n: number, rotated: boolean): number[][] {
  const row = Array.from(values.subarray(offsets[n], offsets[n + 1]));
  const size = rotated ? Math.sqrt(row.length) : row.length;
  return Array.from({ length: row.length / size }, (_, r) => centred(row.slice(r * size, (r + 1) * size)));
}

function centred(row: readonly number[]): number[] {
  const mean = row.reduce((sum, logit) => sum + logit, 0) / row.length;
  return row.map((logit) => logit - mean);
}
