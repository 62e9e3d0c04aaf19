/**
 * Rows per second of scoring through child processes, against bare decode of the same prompts in this process.
 *
 *   npx tsx bench/scoring-throughput.ts MODEL.gguf [rows=2000] [models=2] [cores=2]
 *
 * Prints rows/s and tokens/s of `scoreModels` (start of the children included), of one child's share, and the ratio to
 * bare decode (one context, one thread, no logits read). Other load on the machine moves all three.
 */
import { readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { getLlama, LlamaLogLevel, type Token } from 'node-llama-cpp';
import type { ExamplePrompt } from '../src/datasets/prompt.js';
import { scoreModels } from '../src/scoring/score-models.js';

const [path = 'models/demo/tern-base.gguf', rowCount = '2000', modelCount = '2', coreCount = String(cpus().length)] =
  process.argv.slice(2);
const modelPath = resolve(path);
const prompts = readPrompts(Number(rowCount));

const bare = await bareDecode();
const scored = await throughWorkers();
const perChild = scored.rowsPerSecond / Math.min(Number(modelCount), Number(coreCount));
print('bare decode, one process, one thread', bare);
print(`scoring, ${modelCount} models on ${coreCount} cores`, scored);
process.stdout.write(`ratio of one child to bare decode: ${(perChild / bare.rowsPerSecond).toFixed(3)}\n`);

interface Speed {
  rowsPerSecond: number;
  tokensPerSecond: number;
}

function print(name: string, { rowsPerSecond, tokensPerSecond }: Speed): void {
  process.stdout.write(`${name}: ${rowsPerSecond.toFixed(0)} rows/s, ${tokensPerSecond.toFixed(0)} tokens/s\n`);
}

function readPrompts(count: number): ExamplePrompt[] {
  const lines = readFileSync(new URL('../datasets/demo-facts.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return Array.from({ length: count }, (_, n) => {
    const row = JSON.parse(lines[n % lines.length]!) as { question: string; options: string[] };
    const options = row.options.map((option, k) => `${'ABCDE'[k]}. ${option}`).join('\n');
    const continuations = [...'ABCDE'].slice(0, row.options.length);
    const text = `Question: ${row.question}\n${options}\nAnswer:`;
    return { id: `row-${n}`, text, mode: 'letter', continuations, answerPrefix: null };
  });
}

async function throughWorkers(): Promise<Speed> {
  const models = Array.from({ length: Number(modelCount) }, (_, n) => ({
    model: { id: `model-${n}`, role: 'base' as const, bucket: 'bench', prompt: 'raw' as const },
    modelPath,
    modelBytes: statSync(modelPath).size,
    jobs: [{ dataset: 'bench', prompts, onRows: async () => {} }],
  }));
  const started = performance.now();
  const outcomes = await scoreModels(models, { backend: 'cpu', cores: Number(coreCount) }, {});
  const seconds = (performance.now() - started) / 1000;
  const tokens = outcomes.reduce((sum, outcome) => {
    if (outcome.kind === 'failed') throw new Error(outcome.reason);
    return sum + outcome.tokens;
  }, 0);
  return { rowsPerSecond: (prompts.length * models.length) / seconds, tokensPerSecond: tokens / seconds };
}

async function bareDecode(): Promise<Speed> {
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: 1 });
  const model = await llama.loadModel({ modelPath });
  const bos = model.tokens.shouldPrependBosToken ? [model.tokens.bos!] : [];
  const rows = prompts.map((prompt) => [...bos, ...model.tokenize(prompt.text)]).sort((a, b) => b.length - a.length);
  const contextSize = rows[0]!.length + 1;
  const context = await model.createContext({
    contextSize,
    sequences: 16,
    batchSize: 2048,
    threads: 1,
    flashAttention: false,
  });
  const sequences = Array.from({ length: 16 }, () => context.getSequence());
  const started = performance.now();
  for (let from = 0; from < rows.length; from += 16) {
    const wave = rows.slice(from, from + 16);
    const padded = wave[0]!.length;
    await Promise.all(
      wave.map(async (row: Token[], n) => {
        await sequences[n]!.clearHistory();
        while (row.length < padded) row.push(row.at(-1)!);
        await sequences[n]!.evaluateWithoutGeneratingNewTokens(row);
      }),
    );
  }
  const seconds = (performance.now() - started) / 1000;
  const tokens = rows.reduce((sum, row) => sum + row.length, 0);
  await llama.dispose();
  return { rowsPerSecond: rows.length / seconds, tokensPerSecond: tokens / seconds };
}
