/**
 * Free text and readings through the build of `supportcal setup-cpu`, by the library and by our own reader in turns:
 * whether greedy replies are the same, how far readings differ, and processor time of a token.
 *
 *   npx tsx bench/free-text.ts [rounds=3] [sequences=16] MODEL.gguf ...
 *
 * Prompts are the first of the demo's facts. Processor time is that of the whole process, decoding included.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getLlama, getModuleVersion, type LlamaModel } from 'node-llama-cpp';
import { keepSamplers } from '../src/engine/library/keep-samplers.js';
import { loadReader, type NativeReader } from '../src/engine/library/native-reader.js';
import { openLlamaContext } from '../src/engine/llama/open-llama-context.js';
import { askForBuild, readerFile } from '../src/library/chosen-build.js';
import { write } from './measure.js';

const TOKENS = 32;
const [rounds = '3', sequences = '16', ...files] = process.argv.slice(2);
const file = readerFile('cpu');
if (file === null) throw new Error('no build of `supportcal setup-cpu` with a reader is on record');
const options = { gpu: false, build: 'never', skipDownload: true, progressLogs: false } as const;
const llama = await getLlama({ ...options, ...askForBuild('cpu') });
keepSamplers(await getModuleVersion(), llama);
const ways: readonly (readonly [string, NativeReader | null])[] = [
  ['library', null],
  ['reader', loadReader(file)],
];
for (const path of files) {
  const model = await llama.loadModel({ modelPath: resolve(path) });
  write(`${path.split('/').at(-1)}: ${model.fileInfo.metadata.general.architecture}`);
  for (let round = 1; round <= Number(rounds); round++) await compare(model, round);
  await model.dispose();
}
await llama.dispose();

async function compare(model: LlamaModel, seed: number): Promise<void> {
  const results = [];
  for (const [name, reader] of ways) results.push(await measure(model, name, { reader, seed }));
  const [library, own] = results;
  const same = library?.greedy.filter((text, n) => text === own?.greedy[n]).length;
  const gap = Math.max(...(library?.totals ?? []).map((total, n) => Math.abs(Math.log(total / (own?.totals[n] ?? 0)))));
  write(
    `  greedy replies the same: ${same} of ${library?.greedy.length}; log-totals differ by ${gap.toExponential(1)}`,
  );
}

async function measure(model: LlamaModel, name: string, way: { reader: NativeReader | null; seed: number }) {
  const count = Number(sequences);
  const size = { contextSize: 256, sequences: count, batchSize: 2048, threads: 2 };
  const context = await openLlamaContext(model, size, way.reader);
  const prompts = questions(count).map((text) => Array.from(model.tokenize(text)) as number[]);
  const rowsAt = (temperature: number) =>
    prompts.map((tokens, n) => {
      const samples = [{ seed: way.seed * 1000 + n, temperature }];
      return { tokens, samples, maxTokens: TOKENS, form: null };
    });
  const optionIds = [5, 6, 7, 8];
  const [readings, reading] = await timed(() => context.evaluate(prompts.map((tokens) => ({ tokens, optionIds }))));
  const [greedy] = await timed(() => context.generate(rowsAt(0)));
  const [drawn, took] = await timed(() => context.generate(rowsAt(1)));
  await context.close?.();
  const tokens = drawn.flat().reduce((sum, each) => sum + (each.kind === 'text' ? each.tokens : 0), 0);
  const each = `${(took.cpu / tokens).toFixed(2)} ms of processor a token, ${((1000 * tokens) / took.wall).toFixed(0)} tokens/s`;
  write(`  ${name}: ${tokens} tokens drawn, ${each}; ${(reading.cpu / count).toFixed(2)} ms a prompt read`);
  return {
    greedy: greedy.flat().map((reply) => JSON.stringify(reply)),
    totals: readings.map((row) => (row.kind === 'logits' ? row.totalWeight : Number.NaN)),
  };
}

async function timed<T>(work: () => Promise<T>): Promise<[T, { readonly cpu: number; readonly wall: number }]> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [result, { cpu: (user + system) / 1000, wall: performance.now() - started }];
}

function questions(count: number): string[] {
  const lines = readFileSync(new URL('../datasets/demo-facts.jsonl', import.meta.url), 'utf8').split('\n');
  return lines
    .slice(0, count)
    .map((line) => `Question: ${(JSON.parse(line) as { question: string }).question}\nAnswer:`);
}
