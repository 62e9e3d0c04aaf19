import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { entryKey } from '../src/cache/key/entry-key.js';
import { openEntry } from '../src/cache/open-entry.js';
import { datasetSchema } from '../src/config/dataset-schema.js';
import type { ScoredRow } from '../src/contract/scored-row.js';
import { loadDataset } from '../src/datasets/load-dataset.js';
import { renderPrompts } from '../src/datasets/prompts/render-prompts.js';
import { testIngredients } from '../test/cache/test-ingredients.js';
import { writeFigures } from '../test/fuzz/write-figures.js';

/**
 * Memory of a whole scoring run but the model: load N rows, render their prompts, score them with a stub in parts of
 * `part` rows, compact the entry. Prints the live heap after each step, and writes it into docs/reliability.md when
 * there were a million rows at least; run it with the heap limit to be held:
 *
 *   node --expose-gc --max-old-space-size=2048 --import tsx bench/memory-scale.ts [rows = 1000000] [part = 1024]
 */
const [rowCount = 1_000_000, part = 1024] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-memory-'));
const started = performance.now();
const print = (line: string) => process.stdout.write(`${line}\n`);
const heap = () => {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
};
const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20).toLocaleString('en');
const lines = ['| step | live heap, MiB | resident, MiB | after, s |', '|---|---:|---:|---:|'];
const tell = (step: string, bytes: number) => {
  const cells = [
    step,
    mebibytes(bytes),
    mebibytes(process.memoryUsage().rss),
    ((performance.now() - started) / 1000).toFixed(0),
  ];
  lines.push(`| ${cells.join(' | ')} |`);
  print(lines.at(-1)!);
};
try {
  await writeRows(path.join(folder, 'rows.jsonl'));
  tell('start', heap());
  const yaml = datasetSchema.parse({
    source: 'rows.jsonl',
    fields: { id: 'id', options: 'options', label: { field: 'answer', labelBase: 0 } },
    prompt: { template: 'Question: {question}\n{options}\nAnswer:' },
  });
  const spec = { id: 'd', file: path.join(folder, 'd.yaml'), yaml, locate: () => ({}) };
  const dataset = await loadDataset(spec);
  tell('data set loaded', heap());
  const prompts = renderPrompts(dataset, spec);
  tell('prompts rendered', heap());
  const opened = await openEntry(path.join(folder, 'cache'), entryKey(testIngredients), {
    ids: prompts.map(({ id }) => id),
  });
  if (opened.kind !== 'open') throw new Error('the entry is complete already');
  const before = heap();
  tell('entry opened', before);
  let [quarter, growth] = [1, 0];
  for (let n = 0; n < rowCount; n += part) {
    await opened.writer.append(prompts.slice(n, n + part).map(({ id }, k) => stubRow(id, n + k)));
    if (n + part < (quarter * rowCount) / 4) continue;
    growth = heap() - before;
    tell(`${quarter * 25} % scored`, before + growth);
    quarter++;
  }
  const { table } = await opened.writer.complete({}, new Date().toISOString());
  tell('entry complete', heap());
  await opened.writer.release();
  const facts = [
    `Rows: ${table.ids.length.toLocaleString('en')}. While they are scored the heap grows by ${(growth / rowCount).toFixed(0)} bytes a row (their`,
    `ids in the set of finished ones). Heap limit: ${mebibytes(getHeapStatistics().heap_size_limit)} MiB; peak resident:`,
    `${mebibytes(process.resourceUsage().maxRSS * 1024)} MiB; Node ${process.versions.node}, ${availableParallelism()} cores, ${new Date().toISOString().slice(0, 10)}.`,
  ].join(' ');
  print(facts);
  const command = `node ${process.execArgv.join(' ')} bench/memory-scale.ts ${rowCount} ${part}`;
  const document = path.resolve(import.meta.dirname, '../docs/reliability.md');
  if (rowCount >= 1_000_000)
    writeFigures(document, 'memory', `${lines.join('\n')}\n\n${facts}\n\nWritten by \`${command}\`.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function writeRows(file: string): Promise<void> {
  const out = createWriteStream(file);
  for (let n = 0; n < rowCount; n++) {
    const row = {
      id: `q${n}`,
      question: `What is ${n} plus ${n * 7}, said as one number and no word more?`,
      options: [n * 8, n * 8 + 1, n * 8 - 1, n * 7].map(String),
      answer: n % 4,
    };
    if (!out.write(`${JSON.stringify(row)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

function stubRow(id: string, n: number): ScoredRow {
  const logits = Float32Array.from({ length: 4 }, (_, k) => Math.sin(n * 4 + k) * 9);
  return { status: 'ok', id, logits, logZ: 20, optionMass: 0.5, promptTokens: 40 };
}
