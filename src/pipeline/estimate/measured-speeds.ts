import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseManifest } from '../../results/parse-results.js';

/**
 * Tokens per second of each model, as the manifest of an output folder knows them: from that run, or from the earlier
 * one that filled the cache. None where there is no manifest.
 */
export async function measuredSpeeds(out: string): Promise<ReadonlyMap<string, number>> {
  const file = path.join(out, 'manifest.json');
  try {
    const { run, models } = parseManifest(await readFile(file, 'utf8'), file);
    const kept = models.flatMap(({ model, speed }) => (speed ? [{ model, ...speed }] : []));
    const measured = [...kept, ...(run?.models ?? [])].filter(({ tokens, seconds }) => tokens > 0 && seconds > 0);
    return new Map(measured.map(({ model, tokens, seconds }) => [model, tokens / seconds]));
  } catch {
    return new Map();
  }
}
