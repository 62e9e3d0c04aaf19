/**
 * How far the option logits of two caches are apart, for the same models and data sets scored in two ways (GPU and CPU).
 *
 *   npx tsx bench/compare-caches.ts CACHE_A CACHE_B
 *
 * Every row's logits are centred first, since a softmax does not see a constant.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listEntries } from '../src/cache/list-entries.js';
import { readComplete } from '../src/cache/read-entry.js';
import type { ScoreTable } from '../src/cache/score-table.js';
import { write } from './measure.js';

const [one = '', other = ''] = process.argv.slice(2);
const [a, b] = [await tables(one), await tables(other)];
const differences: number[] = [];
let rows = 0;
let otherPrediction = 0;
for (const [name, table] of a) {
  const twin = b.get(name);
  if (twin === undefined) write(`only in the first: ${name}`);
  else compare(table, twin);
}
differences.sort((x, y) => x - y);
const quantile = (q: number) => differences[Math.floor(q * (differences.length - 1))]!.toPrecision(2);
write(`${rows} rows in both, ${otherPrediction} of them with another predicted option`);
write(`centred logits differ by ${quantile(0.5)} (median), ${quantile(0.99)} (99 %), ${quantile(1)} (most)`);

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

function compare(x: ScoreTable, y: ScoreTable): void {
  const place = new Map(y.ids.map((id, n) => [id, n]));
  for (const [n, id] of x.ids.entries()) {
    const m = place.get(id);
    if (m === undefined) continue;
    const [p, q] = [centred(x, n), centred(y, m)];
    rows++;
    if (p.indexOf(Math.max(...p)) !== q.indexOf(Math.max(...q))) otherPrediction++;
    differences.push(...p.map((logit, k) => Math.abs(logit - q[k]!)));
  }
}

function centred({ logits: { values, offsets } }: ScoreTable, n: number): number[] {
  const row = Array.from(values.subarray(offsets[n], offsets[n + 1]));
  const mean = row.reduce((sum, logit) => sum + logit, 0) / row.length;
  return row.map((logit) => logit - mean);
}
