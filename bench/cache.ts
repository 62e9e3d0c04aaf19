import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { entryKey } from '../src/cache/key/entry-key.js';
import { openEntry } from '../src/cache/open-entry.js';
import { readEntry } from '../src/cache/read-entry.js';
import type { ScoredRow } from '../src/contract/scored-row.js';
import { testIngredients } from '../test/cache/test-ingredients.js';
import { cpuSeconds, median, write } from './measure.js';

/**
 * What the cache costs: `npx tsx bench/cache.ts [rows] [rows a part] [ms a row]`. Writes an entry part by part,
 * completes it (joined, written, read back, compared) and reads it as a run does (every byte verified), in the clock's
 * and the processor's time, the latter split into the program's and the kernel's. The share is that of the processor's
 * time of all three in the time of scoring the rows at `ms a row`; the reading time is the median of five. Parts are
 * timed in groups of 100: the first of them run code that is not compiled yet, which `share but for the start` leaves
 * out by counting every part at the median of the groups.
 */
const [rows = 1_000_000, part = 1_000, millisecondsARow = 10] = process.argv.slice(2).map(Number);
const cache = mkdtempSync(path.join(tmpdir(), 'supportcal-bench-'));
const ids = Array.from({ length: rows }, (_, n) => `question-${String(n).padStart(7, '0')}`);
const key = entryKey(testIngredients);
const rowOf = (n: number): ScoredRow => {
  const logits = Float32Array.from({ length: 4 }, (_, k) => Math.sin(n * 7 + k) * 20);
  return { status: 'ok', id: ids[n]!, logits, logZ: 20 + (n % 100) / 3, optionMass: 0.5, promptTokens: 40 + (n % 60) };
};

/** Processor time of the last run of each step. */
const processor: Record<string, number> = {};
async function timed(what: string, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  const cpu = await cpuSeconds(work);
  const seconds = (performance.now() - started) / 1000;
  processor[what] = cpu;
  write(`${what.padEnd(24)} ${seconds.toFixed(3)} s, processor ${cpu.toFixed(3)} s`);
  return seconds;
}

const opened = await openEntry(cache, key, { ids });
if (opened.kind !== 'open') throw new Error('the entry is complete already');
const parts = Math.ceil(rows / part);
const GROUP = 100;
/** Processor milliseconds a part, of every hundred parts. */
const ofGroups: { user: number; system: number }[] = [];
await timed(`write ${parts} parts`, async () => {
  let before = process.cpuUsage();
  for (let n = 0; n < parts; n++) {
    const start = n * part;
    await opened.writer.append(Array.from({ length: Math.min(part, rows - start) }, (_, k) => rowOf(start + k)));
    if ((n + 1) % GROUP !== 0) continue;
    const { user, system } = process.cpuUsage(before);
    ofGroups.push({ user: user / 1000 / GROUP, system: system / 1000 / GROUP });
    before = process.cpuUsage();
  }
});
await timed('complete and verify', async () => void (await opened.writer.complete({}, new Date().toISOString())));
await opened.writer.release();
const reads: number[] = [];
for (let n = 0; n < 5; n++) {
  reads.push(
    await timed('read and verify', async () => {
      const state = await readEntry(cache, key);
      if (state.kind !== 'complete' || state.table.ids.length !== rows) throw new Error('not as written');
    }),
  );
}
const all = Object.values(processor).reduce((sum, each) => sum + each, 0);
write(`read and verify, median    ${median(reads).toFixed(3)} s for ${rows} rows (bar: 0.5 s for 1,000,000)`);
write(
  `share of scoring           ${((100 * all) / ((rows * millisecondsARow) / 1000)).toFixed(2)} % at ${millisecondsARow} ms a row (bar: 1 %)`,
);
if (ofGroups.length > 1) {
  const of = (group: { user: number; system: number }) =>
    `${group.user.toFixed(2)} ms and the kernel's ${group.system.toFixed(2)} ms`;
  const usual = {
    user: median(ofGroups.map(({ user }) => user)),
    system: median(ofGroups.map(({ system }) => system)),
  };
  write(`a part of the first 100    the program's ${of(ofGroups[0]!)}`);
  write(`a part of the median 100   the program's ${of(usual)}`);
  const seconds = (parts * (usual.user + usual.system)) / 1000 + all - processor[`write ${parts} parts`]!;
  write(`share but for the start    ${((100 * seconds) / ((rows * millisecondsARow) / 1000)).toFixed(2)} %`);
}
rmSync(cache, { recursive: true });
