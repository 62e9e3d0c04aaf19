/**
 * How well prompts of MedMCQA's lengths fill the batches: real tokens by tokens that are evaluated (padding), and by
 * the tokens that the batches could hold (fill). The last, incomplete batch counts. No model is evaluated, unless
 * `rows` says of how many prompts: then the CPU's setting is timed against the GPU's, which fills the batches, by CPU
 * time in one process, one thread, the two taking turns.
 *
 *   npx tsx bench/batch-fill.ts DEV.json [MODEL_OR_VOCABULARY.gguf] [rows=0] [rounds=3]
 *
 * DEV.json: MedMCQA's dev file, one JSON object a line (question, opa to opd).
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { backend } from '../src/engine/llama/llama-backend.js';
import type { LoadedModel } from '../src/engine/protocol/backend.js';
import { planWaves } from '../src/engine/rows/plan-waves.js';
import { evaluationShape } from '../src/scoring/memory/evaluation-shape.js';
import { cpuSeconds, median, write } from './measure.js';

const [file, vocabulary = 'models/demo/tern-base.gguf', rowCount = '0', rounds = '3'] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: npx tsx bench/batch-fill.ts DEV.json [MODEL_OR_VOCABULARY.gguf]');

const prompts = await tokenised(resolve(file), resolve(vocabulary));
const lengths = prompts.map((tokens) => tokens.length);
const sorted = [...lengths].sort((a, b) => a - b);
const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))];
write(`${lengths.length} prompts, tokens: least ${at(0)}, median ${at(0.5)}, 90 % ${at(0.9)}, most ${at(1)}`);
const machines = {
  GPU: { backend: 'cuda', bytes: 8e9 },
  'CPU, small model': { backend: 'cpu', bytes: 4e8 },
  'CPU, large model': { backend: 'cpu', bytes: 8e9 },
} as const;
for (const [name, { backend, bytes }] of Object.entries(machines)) {
  const { sequences, batchSize } = evaluationShape(bytes, backend);
  const waves = planWaves(lengths, sequences, batchSize);
  const real = lengths.reduce((sum, length) => sum + length, 0);
  const evaluated = waves.reduce((sum, wave) => sum + wave.length * Math.max(...wave.map((n) => lengths[n]!)), 0);
  const held = waves.length * batchSize;
  write(
    `${name} (${sequences} sequences, batch ${batchSize}): ${waves.length} batches, ` +
      `real/evaluated ${(real / evaluated).toFixed(3)}, fill ${(real / held).toFixed(3)}`,
  );
}

if (Number(rowCount) > 0) await compareSpeed(prompts.slice(0, Number(rowCount)));

async function compareSpeed(asked: readonly number[][]): Promise<void> {
  const model = await backend.load({ modelPath: resolve(vocabulary), device: 'cpu', threads: 1, onLog: () => {} });
  const longest = Math.max(...asked.map(({ length }) => length));
  const few = await scorer(model, asked, 16, longest);
  const filled = await scorer(model, asked, 64, longest);
  const seconds: [number, number][] = [];
  await few.score();
  await filled.score();
  for (let round = 0; round < Number(rounds); round++) {
    if (round % 2 === 0) seconds.push(await inTurn(few.score, filled.score));
    else seconds.push((await inTurn(filled.score, few.score)).reverse() as [number, number]);
  }
  const ratio = median(seconds.map(([a, b]) => a / b)).toFixed(3);
  const rate = (n: 0 | 1) => `${(asked.length / median(seconds.map((each) => each[n]))).toFixed(1)} rows a CPU second`;
  write(`${asked.length} prompts, 16 sequences, fill ${few.fill.toFixed(3)}: ${rate(0)}`);
  write(
    `${asked.length} prompts, 64 sequences, fill ${filled.fill.toFixed(3)}: ${rate(1)}; speed ${ratio} of the other`,
  );
  await model.close();
  await backend.shutdown();
}

async function inTurn(first: () => Promise<void>, second: () => Promise<void>): Promise<[number, number]> {
  return [await cpuSeconds(first), await cpuSeconds(second)];
}

async function scorer(model: LoadedModel, asked: readonly number[][], sequences: number, longest: number) {
  const batchSize = 2048;
  const context = await model.openContext({ contextSize: longest + 1, sequences, batchSize, threads: 1 });
  const waves = planWaves(
    asked.map(({ length }) => length),
    sequences,
    batchSize,
  );
  const fill = asked.reduce((sum, { length }) => sum + length, 0) / (waves.length * batchSize);
  const score = async () => {
    for (const wave of waves) {
      const found = await context.evaluate(wave.map((n) => ({ tokens: asked[n]!, optionIds: asked[n]!.slice(0, 4) })));
      if (found.some(({ kind }) => kind !== 'logits')) throw new Error('a prompt could not be evaluated');
    }
  };
  return { fill, score };
}

async function tokenised(questions: string, modelPath: string): Promise<number[][]> {
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
  const model = await llama.loadModel({ modelPath, vocabOnly: true });
  const start = model.tokens.bos ?? 0;
  const rows = readFileSync(questions, 'utf8').trim().split('\n');
  const found = rows.map((line) => {
    const { question, opa, opb, opc, opd } = JSON.parse(line) as Record<string, string>;
    const text = `Question: ${question}\nA. ${opa}\nB. ${opb}\nC. ${opc}\nD. ${opd}\nAnswer:`;
    return [start, ...model.tokenize(text, false)];
  });
  await llama.dispose();
  return found;
}
