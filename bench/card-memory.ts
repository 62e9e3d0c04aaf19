/**
 * What the pretrained models of models.yaml take on a card, by the type of their file: weights, and two contexts of 64
 * prompts of 300 tokens in batches of 2,048, as `doctor` plans before a file is here.
 *
 *   npx tsx bench/card-memory.ts [TYPE...]
 */
import { loadModels } from '../src/config/load-models.js';
import { estimateBytes, estimateMemory } from '../src/scoring/memory/estimate-model.js';
import { write } from './measure.js';

const types = process.argv.length > 2 ? process.argv.slice(2) : ['BF16', 'Q8_0', 'Q4_K_M'];
const PLAN = { contextSize: 300, threads: 1, sequences: 64, batchSize: 2048, contexts: 2 };
const perType = await Promise.all(types.map(async (quant) => (await loadModels('models.yaml', { quant })).models));
const rows = perType[0]!.flatMap(({ id, role }, n) => {
  const taken = perType.map((models) => {
    const bytes = estimateBytes(models[n]!);
    if (bytes === null) return 0;
    const { weights, kvCache, compute } = estimateMemory(models[n]!, bytes, PLAN);
    return (weights + kvCache + compute) / 1e9;
  });
  return role === 'base' && taken[0]! > 1 ? [{ id, taken }] : [];
});
write(`| model | ${types.map((type) => `${type}, GB`).join(' | ')} |`);
write(`|---|${types.map(() => '---:|').join('')}`);
for (const { id, taken } of rows.toSorted((a, b) => a.taken[0]! - b.taken[0]!))
  write(`| ${id} | ${taken.map((each) => each.toFixed(1)).join(' | ')} |`);
