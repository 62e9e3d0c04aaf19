/**
 * How well prompts of MedMCQA's lengths fill the batches: real tokens by tokens that are evaluated (padding), and by
 * the tokens that the batches could hold (fill). The last, incomplete batch counts. No model is evaluated.
 *
 *   npx tsx bench/batch-fill.ts DEV.json [MODEL_OR_VOCABULARY.gguf]
 *
 * DEV.json: MedMCQA's dev file, one JSON object a line (question, opa to opd).
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { planWaves } from '../src/engine/plan-waves.js';
import { planSlots } from '../src/scoring/plan-slots.js';

const [file, vocabulary = 'models/demo/tern-base.gguf'] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: npx tsx bench/batch-fill.ts DEV.json [MODEL_OR_VOCABULARY.gguf]');

const lengths = await tokenCounts(resolve(file), resolve(vocabulary));
const sorted = [...lengths].sort((a, b) => a - b);
const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))];
write(`${lengths.length} prompts, tokens: least ${at(0)}, median ${at(0.5)}, 90 % ${at(0.9)}, most ${at(1)}`);
const machines = {
  GPU: { backend: 'cuda', bytes: 8e9 },
  'CPU, small model': { backend: 'cpu', bytes: 4e8 },
  'CPU, large model': { backend: 'cpu', bytes: 8e9 },
} as const;
for (const [name, { backend, bytes }] of Object.entries(machines)) {
  const [stage] = planSlots([{ id: 'm', bytes }], { backend, cores: 2, memoryBytes: 64e9 });
  const { sequences, batchSize } = stage!;
  const waves = planWaves(lengths, sequences, batchSize);
  const real = lengths.reduce((sum, length) => sum + length, 0);
  const evaluated = waves.reduce((sum, wave) => sum + wave.length * Math.max(...wave.map((n) => lengths[n]!)), 0);
  const held = waves.length * batchSize;
  write(
    `${name} (${sequences} sequences, batch ${batchSize}): ${waves.length} batches, ` +
      `real/evaluated ${(real / evaluated).toFixed(3)}, fill ${(real / held).toFixed(3)}`,
  );
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function tokenCounts(questions: string, modelPath: string): Promise<number[]> {
  const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
  const model = await llama.loadModel({ modelPath, vocabOnly: true });
  const rows = readFileSync(questions, 'utf8').trim().split('\n');
  const counts = rows.map((line) => {
    const { question, opa, opb, opc, opd } = JSON.parse(line) as Record<string, string>;
    const text = `Question: ${question}\nA. ${opa}\nB. ${opb}\nC. ${opc}\nD. ${opd}\nAnswer:`;
    return model.tokenize(text, false).length + 1;
  });
  await llama.dispose();
  return counts;
}
