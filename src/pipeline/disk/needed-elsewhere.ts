import { planSuite } from '../../config/plan-suite.js';
import type { Device } from '../../contract/device.js';
import { nearest } from '../../errors/nearest.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { allEntries, planScores } from '../score/score-plan.js';
import { loadWorkspace } from '../workspace/load-workspace.js';
import type { RunOptions } from '../workspace/run-options.js';
import type { Workspace } from '../workspace/workspace.js';

/**
 * Models that some other suite of the same models.yaml has still to score, by id, with the name of the suite. What
 * filters leave out of the suite in hand counts as another suite. Of a suite that cannot be read every model counts.
 * `keepFor` says which suites are looked at.
 *
 * @throws SupportCalError usage, for a suite of `keepFor` that is none
 */
export async function neededElsewhere(workspace: Workspace, device: Device): Promise<ReadonlyMap<string, string>> {
  const { models, suite, options } = workspace;
  const { datasetIds, targetIds, keepFor } = options;
  const all = Object.keys(models.suites);
  const unknown = keepFor?.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw new SupportCalError('usage', `--keep-for: no suite "${unknown}" in ${models.file}${nearest(unknown, all)}`);
  const needed = new Map<string, string>();
  for (const name of keepFor ?? all) {
    if (name === suite.name && datasetIds === undefined && targetIds === undefined) continue;
    for (const id of await openModels(workspace, name, device)) if (!needed.has(id)) needed.set(id, name);
  }
  return needed;
}

async function openModels(workspace: Workspace, suite: string, device: Device): Promise<string[]> {
  try {
    const other = await loadWorkspace(optionsOf(workspace, suite), {
      missingData: 'leave-empty',
      unknownMethods: 'leave-out',
    });
    const unread = new Set(other.datasets.flatMap(({ spec, content }) => (content === null ? spec.id : [])));
    const plans = await planScores(other, device);
    const isOpen = (plan: (typeof plans)[number]) =>
      allEntries(plan).some(
        ({ dataset, entry }) => entry.kind === 'open' || (entry.kind !== 'ready' && unread.has(dataset)),
      );
    return plans.filter(isOpen).map(({ model }) => model.id);
  } catch (error) {
    if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
    return modelsOf(workspace, suite);
  }
}

function optionsOf({ options, models }: Workspace, suite: string): RunOptions {
  const { datasetIds: _d, targetIds: _t, modelIds: _m, shard: _s, limit: _l, sources, ...others } = options;
  const datasets = models.suites[suite]?.datasets ?? [];
  const own = new Map([...(sources ?? [])].filter(([id]) => datasets.includes(id)));
  return { ...others, suite, offline: true, refresh: false, ...(own.size > 0 && { sources: own }) };
}

function modelsOf({ models }: Workspace, suite: string): string[] {
  try {
    return planSuite(models, { suite }).models.map(({ id }) => id);
  } catch (error) {
    if (error instanceof SupportCalError) return [];
    throw error;
  }
}
