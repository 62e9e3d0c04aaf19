/**
 * Letter-mode scoring on a CPU against bare decode of the same tokens in the same process.
 *
 *   npx tsx bench/scoring-throughput.ts [MODEL.gguf] [rows=320] [rounds=9] [questions=1] [sequences=16]
 *
 * Scoring is what a worker does with tokenised prompts: planned batches through the engine's own context, option logits
 * and their normaliser read. Bare decode gets the same batches with no logits read. Both take turns, one thread each;
 * a round's ratio is that of their CPU times, which other load on the machine hardly moves. `unread` and `read` are the
 * library's own `controlledEvaluate` of the same batches, without and with the request for logits: what is between
 * `unread` and `read` is the library's (last layer, sampler), what is between `read` and scoring is ours. The last line
 * is the whole way, start of the child, load and tokenisation included, by the clock. Reading a row costs a fixed time
 * and bare decode never computes the last layer's output: the shorter the prompt and the smaller the model, the lower
 * the ratio. `questions` puts that many questions into one prompt (3: about MedMCQA's median of 87 tokens).
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ControlledEvaluateInputItem, getLlama, LlamaLogLevel, type Token } from 'node-llama-cpp';
import { backend } from '../src/engine/llama/llama-backend.js';
import { logitRequest } from '../src/engine/llama/read-logits.js';
import type { LoadedModel } from '../src/engine/protocol/backend.js';
import { planWaves } from '../src/engine/rows/plan-waves.js';
import { scoreModels } from '../src/scoring/score-models.js';
import { decodeBare } from './bare-decode.js';
import { demoPrompts } from './demo-prompts.js';
import { cpuSeconds, median, write } from './measure.js';

const [path = 'models/demo/tern-base.gguf', rowCount = '320', roundCount = '9', perPrompt = '1', sequenceCount = '16'] =
  process.argv.slice(2);
const modelPath = resolve(path);
const prompts = demoPrompts(Number(rowCount), Number(perPrompt));
const batch = { sequences: Number(sequenceCount), batchSize: 2048, threads: 1 };

const model = await backend.load({ modelPath, device: 'cpu', threads: 1, onLog: () => {} });
const rows = encode(model);
const contextSize = Math.max(...rows.map((row) => row.tokens.length)) + 1;
const waves = planWaves(
  rows.map((row) => row.tokens.length),
  batch.sequences,
  batch.batchSize,
).map((wave) => wave.map((n) => rows[n]!));
const scoring = await scorer(model);
const { bare, ...library } = await libraryWays();
const ways = { 'bare decode': bare, ...library, scoring };
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];

const rounds = Array.from({ length: Number(roundCount) });
const seconds = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Way, number[]>;
for (const name of names) await ways[name]();
for (const [n] of rounds.entries())
  for (const name of n % 2 === 0 ? names : names.toReversed()) seconds[name].push(await cpuSeconds(ways[name]));
const tokens = rows.reduce((sum, row) => sum + row.tokens.length, 0);
write(`${rows.length} prompts, ${tokens} tokens, ${waves.length} batches, ${rounds.length} rounds`);
for (const name of names) {
  const ratio = median(seconds['bare decode'].map((each, n) => each / seconds[name][n]!)).toFixed(3);
  write(`${name.padEnd(12)} ${perSecond(seconds[name])}, ratio to bare decode ${ratio}`);
}
await model.close();
await backend.shutdown();
await throughWorker();

function perSecond(times: readonly number[]): string {
  const rate = rows.length / median(times);
  return `${rate.toFixed(0)} rows and ${((rate * tokens) / rows.length).toFixed(0)} tokens a CPU second`;
}

function encode({ tokenize, info }: LoadedModel) {
  const start = (info.addBosKey ?? info.addBosDefault) ? [info.bos!.id] : [];
  return prompts.map(({ text, continuations }) => ({
    tokens: [...start, ...tokenize(text)],
    optionIds: continuations.map((label) => tokenize(`\n ${label}`).at(-1)!),
  }));
}

async function scorer(loaded: LoadedModel): Promise<() => Promise<void>> {
  const context = await loaded.openContext({ contextSize, ...batch });
  return async () => {
    for (const wave of waves) {
      const evaluations = await context.evaluate(wave);
      if (evaluations.some(({ kind }) => kind !== 'logits')) throw new Error('a prompt could not be evaluated');
    }
  };
}

/**
 * Gives the batches straight to the library: nothing read, by either of its ways, and read as scoring reads them.
 */
async function libraryWays() {
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: 1 });
  const loaded = await llama.loadModel({ modelPath });
  const context = await loaded.createContext({ contextSize, ...batch, flashAttention: false, swaFullCache: true });
  const sequences = Array.from({ length: batch.sequences }, () => context.getSequence());
  const controlled = (reading: boolean) => async () => {
    for (const wave of waves) {
      await Promise.all(wave.map((_, n) => sequences[n]!.clearHistory()));
      const padded = Math.max(...wave.map(({ tokens }) => tokens.length));
      await Promise.all(wave.map((row, n) => sequences[n]!.controlledEvaluate(inputOf(row, padded, reading))));
    }
  };
  const bare = async () => {
    for (const wave of waves) await decodeBare(sequences, wave);
  };
  return { bare, unread: controlled(false), read: controlled(true) };
}

function inputOf({ tokens, optionIds }: (typeof rows)[number], padded: number, reading: boolean) {
  const input: ControlledEvaluateInputItem[] = tokens.slice(0, -1) as Token[];
  const last = tokens.at(-1) as Token;
  input.push(reading ? [last, { generateNext: logitRequest(optionIds) }] : last);
  while (input.length < padded) input.push(last);
  return input;
}

async function throughWorker(): Promise<void> {
  const started = performance.now();
  const outcomes = await scoreModels(
    [
      {
        model: { id: 'model', role: 'base', bucket: 'bench', prompt: 'raw' },
        place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size },
        jobs: [{ dataset: 'bench', prompts, onRows: async () => {} }],
      },
    ],
    { device: 'cpu', cores: 1 },
    {},
  );
  for (const outcome of outcomes) if (outcome.kind === 'failed') throw new Error(outcome.reason);
  const rate = (prompts.length * 1000) / (performance.now() - started);
  write(`through a child process, start and load included: ${rate.toFixed(0)} rows/s by the clock`);
}
