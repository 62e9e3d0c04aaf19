/**
 * Letter-mode scoring on a GPU against bare decode of the same tokens in the same process, by the clock.
 *
 *   npx tsx bench/gpu-throughput.ts MODEL.gguf [backend=cuda] [rows=1024] [rounds=5] [questions=5]
 *
 * Both run with one context and with two and take turns; a ratio is that of a round's times. Scoring is what a worker
 * does with tokenised prompts, with the settings that `evaluationShape` gives a GPU. Start the process with the
 * allocator settings that the worker gets (src/scoring/process/spawn-worker.ts), or reading logits costs more than it
 * does there. The last lines are the whole way through a child process, start and load included. `questions` of the
 * demo go into one prompt (5: about 200 tokens).
 */
import { statSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { getLlama, type LlamaContextSequence, LlamaLogLevel } from 'node-llama-cpp';
import type { Device } from '../src/contract/device.js';
import { backend } from '../src/engine/llama/llama-backend.js';
import type { EvaluationContext } from '../src/engine/protocol/backend.js';
import { planWaves } from '../src/engine/rows/plan-waves.js';
import { evaluationShape } from '../src/scoring/memory/evaluation-shape.js';
import { scoreModels } from '../src/scoring/score-models.js';
import { decodeBare } from './bare-decode.js';
import { demoPrompts } from './demo-prompts.js';
import { median, write } from './measure.js';

const [path = '', gpu = 'cuda', rowCount = '1024', roundCount = '5', perPrompt = '5'] = process.argv.slice(2);
const modelPath = resolve(path);
const device = gpu as Exclude<Device, 'cpu'>;
const prompts = demoPrompts(Number(rowCount), Number(perPrompt));
const cores = cpus().length;
const { sequences, batchSize, cells = Infinity } = evaluationShape(1, device);

const model = await backend.load({ modelPath, device, threads: cores, onLog: () => {} });
const start = (model.info.addBosKey ?? model.info.addBosDefault) ? [model.info.bos!.id] : [];
const rows = prompts.map(({ text, continuations }) => ({
  tokens: [...start, ...model.tokenize(text)],
  optionIds: continuations.map((label) => model.tokenize(`\n ${label}`).at(-1)!),
}));
const lengths = rows.map((row) => row.tokens.length);
const contextSize = Math.max(...lengths) + 1;
const fitting = Math.min(sequences, Math.floor(cells / contextSize));
const waves = planWaves(lengths, fitting, batchSize).map((wave) => wave.map((n) => rows[n]!));
const tokens = lengths.reduce((sum, length) => sum + length, 0);
const request = { contextSize, sequences: fitting, batchSize, threads: cores, flashAttention: 'auto' as const };

const contexts = [await model.openContext(request), await model.openContext(request)];
const bare = await bareContexts();
const times = new Map<string, number[]>();
for (let round = 0; round <= Number(roundCount); round++) {
  for (const count of [1, 2]) {
    const scoring = await seconds(() => inTurns(contexts.slice(0, count), score));
    const decode = await seconds(() => inTurns(bare.slice(0, count), decodeBare));
    if (round === 0) continue;
    note(`scoring, contexts: ${count}`, scoring);
    note(`bare decode, contexts: ${count}`, decode);
  }
}
write(`${model.info.device}: ${rows.length} prompts, ${tokens} tokens, ${waves.length} batches, ${fitting} sequences`);
for (const [name, measured] of times) write(`${name}: ${(tokens / median(measured)).toFixed(0)} tokens/s`);
for (const count of [1, 2]) {
  const [mine, theirs] = [times.get(`scoring, contexts: ${count}`)!, times.get(`bare decode, contexts: ${count}`)!];
  write(`ratio, contexts ${count}: ${median(mine.map((time, n) => theirs[n]! / time)).toFixed(3)}`);
}
await model.close();
await backend.shutdown();
await throughWorker();

type Wave = (typeof waves)[number];

function note(name: string, time: number): void {
  times.set(name, [...(times.get(name) ?? []), time]);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Every context takes the next batch when it is free. */
async function inTurns<C>(each: readonly C[], work: (context: C, wave: Wave) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    each.map(async (context) => {
      while (next < waves.length) await work(context, waves[next++]!);
    }),
  );
}

async function score(context: EvaluationContext, wave: Wave): Promise<void> {
  const evaluations = await context.evaluate(wave);
  if (evaluations.some(({ kind }) => kind !== 'logits')) throw new Error('a prompt could not be evaluated');
}

async function bareContexts(): Promise<LlamaContextSequence[][]> {
  const llama = await getLlama({ gpu: device, build: 'never', logLevel: LlamaLogLevel.error });
  const loaded = await llama.loadModel({ modelPath });
  const opened: LlamaContextSequence[][] = [];
  for (let n = 0; n < 2; n++) {
    const context = await loaded.createContext({ ...request, swaFullCache: true });
    opened.push(Array.from({ length: fitting }, () => context.getSequence()));
  }
  return opened;
}

async function throughWorker(): Promise<void> {
  const spec = { id: 'model', role: 'base', bucket: 'bench', prompt: 'raw' } as const;
  const jobs = [{ dataset: 'bench', prompts, onRows: async () => {} }];
  const outcomes = await scoreModels(
    [{ model: spec, place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size }, jobs }],
    { device, cores },
    {},
  );
  for (const outcome of outcomes) {
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    const { facts } = outcome;
    write(`through a child process: ${(outcome.tokens / outcome.seconds).toFixed(0)} tokens/s, load included`);
    write(JSON.stringify({ ...facts, chatTemplate: undefined }));
  }
}
