import { readFileSync } from 'node:fs';
import { importLogits } from '../../src/pipeline/import-logits.js';

/** Imports every job of a JSON list `[{file, model, dataset, unit, models, datasets, cache}]` in one process. */
const jobs = JSON.parse(readFileSync(process.argv[2] as string, 'utf8'));
for (const job of jobs) await importLogits(job);
