import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseManifest } from '../report/parse-results.js';

/** Tokens per second of each model in the last run that left its manifest in an output folder; none where there is none. */
export async function measuredSpeeds(out: string): Promise<ReadonlyMap<string, number>> {
  const file = path.join(out, 'manifest.json');
  try {
    const { run } = parseManifest(await readFile(file, 'utf8'), file);
    const models = (run?.models ?? []).filter(({ tokens, seconds }) => tokens > 0 && seconds > 0);
    return new Map(models.map(({ model, tokens, seconds }) => [model, tokens / seconds]));
  } catch {
    return new Map();
  }
}
