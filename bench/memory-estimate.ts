/**
 * What `doctor` says of memory before a model's file is here against llama.cpp's own dry run on a file of its shape.
 *
 *   python bench/model-shapes.py VOCABULARY_FOLDER OUT_FOLDER && npx tsx bench/memory-estimate.ts OUT_FOLDER
 *
 * For each NAME.gguf of the folder that models.yaml has as a model: estimate / dry run, for the contexts of a CPU (8
 * sequences, batches of 1,024, one context) and of a GPU (64, 2,048, two), 300 tokens a sequence.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { loadModels } from '../src/config/load-models.js';
import { backend } from '../src/engine/llama/llama-backend.js';
import { estimateBytes, estimateMemory } from '../src/scoring/memory/estimate-model.js';
import { write } from './measure.js';

const [folder = ''] = process.argv.slice(2);
const { models } = await loadModels('models.yaml');
const settings = { contextSize: 300, threads: 1 };
const plans = {
  cpu: { ...settings, sequences: 8, batchSize: 1024, contexts: 1 },
  gpu: { ...settings, sequences: 64, batchSize: 2048, contexts: 2 },
};
const sum = ({ weights, kvCache, compute }: { weights: number; kvCache: number; compute: number }) =>
  weights + kvCache + compute;
for (const file of readdirSync(folder).filter((name) => name.endsWith('.gguf'))) {
  const model = models.find(({ id }) => `${id}.gguf` === file);
  if (model === undefined) continue;
  const modelPath = path.resolve(folder, file);
  const loaded = await backend.load({ modelPath, device: 'cpu', threads: 1, vocabOnly: true, onLog: () => {} });
  const bytes = estimateBytes(model)!;
  const parts = [`file ${(bytes / statSync(modelPath).size).toFixed(3)}`];
  for (const [device, plan] of Object.entries(plans)) {
    const needs = await loaded.memoryNeeds({ ...plan, device: 'cpu', places: 1 });
    const estimate = sum(estimateMemory(model, bytes, plan));
    const ratio = estimate / sum({ ...needs, weights: statSync(modelPath).size });
    parts.push(`${device} ${(estimate / 1e9).toFixed(1)} GB, ${ratio.toFixed(3)}`);
  }
  write(`${model.id.padEnd(18)} ${parts.join('  ')}`);
  await loaded.close();
}
await backend.shutdown();
