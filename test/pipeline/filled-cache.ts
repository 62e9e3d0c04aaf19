import { openEntry } from '../../src/cache/open-entry.js';
import type { Device } from '../../src/contract/device.js';
import { allEntries, planScores } from '../../src/pipeline/score/score-plan.js';
import { loadWorkspace } from '../../src/pipeline/workspace/load-workspace.js';
import type { RunOptions } from '../../src/pipeline/workspace/run-options.js';
import { testRow } from '../cache/test-ingredients.js';

/** Writes made-up rows into every entry that the suite lacks, as a scoring run would; returns the entries' names. */
export async function fillCache(options: RunOptions, backend: Device = 'cpu'): Promise<string[]> {
  const workspace = await loadWorkspace(options);
  const names: string[] = [];
  for (const plan of await planScores(workspace, backend)) {
    for (const { dataset: id, entry } of allEntries(plan)) {
      if (entry.kind !== 'open') continue;
      const prompts = workspace.datasets.find(({ spec }) => spec.id === id)!.content!.prompts;
      const opened = await openEntry(options.cache, entry.key, { ids: prompts.map((prompt) => prompt.id) });
      if (opened.kind !== 'open') continue;
      await opened.writer.append(prompts.map((prompt, n) => testRow(prompt.id, n)));
      await opened.writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
      await opened.writer.release();
      names.push(entry.key.name);
    }
  }
  return names.sort();
}
