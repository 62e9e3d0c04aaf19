/**
 * Text mode on a CPU: a prompt evaluated once with its options branching from it, against evaluating the prompt again
 * for every option, and against bare decode of the tokens that text mode evaluates (prompt and branches, nothing read).
 *
 *   npx tsx bench/text-mode.ts [MODEL.gguf] [rows=160] [rounds=5] [prompt tokens=100] [option tokens=6] [options=4]
 *
 * One process, one thread, 16 sequences, batches of 2048 tokens. The ways take turns; a ratio is that of CPU times, the
 * median over rounds. Bare decode has one pass for the prompts with their first branch and one per further branch, as
 * text mode has; going back to the prompt is part of both.
 */
import { resolve } from 'node:path';
import { getLlama, LlamaLogLevel, type Token } from 'node-llama-cpp';
import { backend } from '../src/engine/llama/llama-backend.js';
import type { LoadedModel, TextRow } from '../src/engine/protocol/backend.js';
import { planWaves } from '../src/engine/rows/plan-waves.js';
import { cpuSeconds, median, write } from './measure.js';

const [path = 'models/demo/tern-base.gguf', ...numbers] = process.argv.slice(2);
const [rowCount = 160, rounds = 5, promptTokens = 100, optionTokens = 6, options = 4] = numbers.map(Number);
const modelPath = resolve(path);
const batch = { sequences: 16, batchSize: 2048, threads: 1 };
const contextSize = promptTokens + optionTokens + 1;

const model = await backend.load({ modelPath, device: 'cpu', threads: 1, onLog: () => {} });
const rows = questions(model);
const ways = {
  branching: await through(rows, model),
  again: await through(rows.flatMap(alone), model),
  bare: await bareDecoder(),
};
const seconds: Record<keyof typeof ways, number[]> = { branching: [], again: [], bare: [] };
for (const way of Object.values(ways)) await way();
for (let round = 0; round < rounds; round++) {
  const names = Object.keys(ways) as (keyof typeof ways)[];
  for (const name of round % 2 === 0 ? names : names.reverse()) seconds[name].push(await cpuSeconds(ways[name]));
}
write(
  `${path}: ${rowCount} prompts of ${promptTokens} tokens, ${options} options of ${optionTokens}, ${rounds} rounds`,
);
for (const [name, times] of Object.entries(seconds))
  write(`${name.padEnd(10)} ${(rowCount / median(times)).toFixed(1)} prompts a CPU second`);
write(`branching / prompt again per option: ${ratio('again')}, of at most ${best().toFixed(2)} by tokens`);
write(`branching / bare decode: ${ratio('bare')}`);
await model.close();
await backend.shutdown();

function ratio(other: 'again' | 'bare'): string {
  return median(seconds[other].map((time, n) => time / seconds.branching[n]!)).toFixed(3);
}

/** The last token of an option is never evaluated. */
function best(): number {
  const branches = options * (optionTokens - 1);
  return (options * promptTokens + branches) / (promptTokens + branches);
}

function questions({ tokenize }: LoadedModel): TextRow[] {
  const sentence = (n: number) => `Question ${n}: is the number ${n * 7} larger than ${n * 5 + 12}?\nA. yes\nB. no\n`;
  const text = tokenize(Array.from({ length: 400 }, (_, n) => sentence(n)).join(''));
  return Array.from({ length: rowCount }, (_, n) => {
    const tokens = text.slice(n, n + promptTokens);
    // Different first tokens: no option shares a branch with another.
    const continuations = Array.from({ length: options }, (_, k) => [
      k + 300,
      ...text.slice(n + k, n + k + optionTokens - 1),
    ]);
    return { tokens, continuations };
  });
}

function alone({ tokens, continuations }: TextRow): TextRow[] {
  return continuations.map((continuation) => ({ tokens, continuations: [continuation] }));
}

async function through(asked: readonly TextRow[], loaded: LoadedModel): Promise<() => Promise<void>> {
  const context = await loaded.openContext({ contextSize, ...batch });
  const waves = wavesOf(asked.length);
  return async () => {
    for (const wave of waves) {
      const found = await context.evaluateTexts(wave.map((n) => asked[n]!));
      if (found.some(({ kind }) => kind !== 'logProbs')) throw new Error('a prompt could not be evaluated');
    }
  };
}

function wavesOf(count: number) {
  return planWaves(Array<number>(count).fill(promptTokens + optionTokens - 1), batch.sequences, batch.batchSize);
}

async function bareDecoder(): Promise<() => Promise<void>> {
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: 1 });
  const loaded = await llama.loadModel({ modelPath });
  const context = await loaded.createContext({ contextSize, ...batch, flashAttention: false, swaFullCache: true });
  const sequences = Array.from({ length: batch.sequences }, () => context.getSequence());
  const decode = (n: number, tokens: readonly number[]) =>
    sequences[n]!.evaluateWithoutGeneratingNewTokens(tokens as Token[]);
  return async () => {
    for (const wave of wavesOf(rowCount)) {
      const asked = wave.map((n) => rows[n]!);
      await Promise.all(asked.map((_, n) => sequences[n]!.clearHistory()));
      await Promise.all(
        asked.map(({ tokens, continuations }, n) => decode(n, [...tokens, ...continuations[0]!.slice(0, -1)])),
      );
      for (let k = 1; k < options; k++) {
        const end = promptTokens + optionTokens - 1;
        await Promise.all(asked.map((_, n) => sequences[n]!.eraseContextTokenRanges([{ start: promptTokens, end }])));
        await Promise.all(asked.map(({ continuations }, n) => decode(n, continuations[k]!.slice(0, -1))));
      }
    }
  };
}
