/**
 * Readings and free text through the build of `supportcal setup-cpu`, by the library and by our own reader in turns:
 * processor time of a reading and of a token (decoding included), one thread; whether greedy replies are the same.
 *
 *   npx tsx bench/free-text.ts [rounds=3] [sequences=8] MODEL.gguf ...
 *
 * Prompts are the first of the demo's facts.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getLlama, getModuleVersion, type LlamaModel, type Token } from 'node-llama-cpp';
import { keepSamplers } from '../src/engine/library/keep-samplers.js';
import { loadReader, type NativeReader, nativeContext, readNatively } from '../src/engine/library/native-reader.js';
import { openLlamaContext } from '../src/engine/llama/open-llama-context.js';
import { logitRequest } from '../src/engine/llama/read-logits.js';
import { askForBuild, readerFile } from '../src/library/chosen-build.js';
import { write } from './measure.js';

const TOKENS = 16;
const READINGS = 100;
const [rounds = '3', sequences = '8', ...files] = process.argv.slice(2);
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
  await readings(model);
  for (let round = 1; round <= Number(rounds); round++) await compare(model, round);
  await model.dispose();
}
await llama.dispose();

/** One place read again and again. */
async function readings(model: LlamaModel): Promise<void> {
  const context = await model.createContext({ contextSize: 256, sequences: 1, threads: 1 });
  const native = nativeContext(context);
  const byLibrary = native.sampleToken;
  let asked: Parameters<typeof byLibrary> | undefined;
  const listen: typeof byLibrary = async (...all) => {
    asked = all;
    return await byLibrary.apply(native, all);
  };
  const put = (value: typeof byLibrary) =>
    Object.defineProperty(native, 'sampleToken', { value, writable: true, configurable: true });
  put(listen);
  const [token] = model.tokenize('one') as [Token];
  await context.getSequence().controlledEvaluate([[token, { generateNext: logitRequest([5, 6, 7, 8]) }]]);
  if (asked === undefined) throw new Error('nothing was read');
  const question = asked;
  for (let round = 0; round < Number(rounds); round++) {
    const each = [];
    for (const [name, reader] of ways) {
      put(byLibrary);
      if (reader !== null) readNatively(context, reader);
      const [, took] = await timed(async () => {
        for (let r = 0; r < READINGS; r++) await native.sampleToken(...question);
      });
      each.push(`${name} ${(took.cpu / READINGS).toFixed(2)} ms`);
    }
    write(`  a reading: ${each.join(', ')}`);
  }
  await context.dispose();
}

async function compare(model: LlamaModel, seed: number): Promise<void> {
  const [library, own] = [await measure(model, ways[0]!, seed), await measure(model, ways[1]!, seed)];
  const same = library.filter((text, n) => text === own[n]).length;
  write(`  greedy replies the same: ${same} of ${library.length}`);
}

async function measure(model: LlamaModel, [name, reader]: (typeof ways)[number], seed: number): Promise<string[]> {
  const count = Number(sequences);
  const context = await openLlamaContext(
    model,
    { contextSize: 256, sequences: count, batchSize: 2048, threads: 1 },
    reader,
  );
  const prompts = questions(count).map((text) => Array.from(model.tokenize(text)) as number[]);
  const rowsAt = (temperature: number) =>
    prompts.map((tokens, n) => {
      const samples = [{ seed: seed * 1000 + n, temperature }];
      return { tokens, samples, maxTokens: TOKENS, form: null };
    });
  const greedy = await context.generate(rowsAt(0));
  // The prompts of the second call are evaluated too, at the same cost both ways.
  const [drawn, took] = await timed(() => context.generate(rowsAt(1)));
  await context.close?.();
  const tokens = drawn.flat().reduce((sum, each) => sum + (each.kind === 'text' ? each.tokens : 0), 0);
  write(`  ${name}: ${tokens} tokens drawn, ${(took.cpu / tokens).toFixed(2)} ms of processor time each`);
  return greedy.flat().map((reply) => JSON.stringify(reply));
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
