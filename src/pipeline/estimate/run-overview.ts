import { availableParallelism } from 'node:os';
import type { Device } from '../../contract/device.js';
import { deviceFor } from '../../scoring/device/device-for.js';
import { rowCost } from '../score/row-cost.js';
import { type PlannedRun, toScore } from '../score/score-missing.js';
import { allEntries, type ModelPlan } from '../score/score-plan.js';
import type { ExpectedTime, RunOverview } from '../workspace/pipeline-events.js';
import { CHILD_SECONDS } from './model-time.js';
import { estimateRun } from './run-estimate.js';
import { sideBySide } from './side-by-side.js';

/**
 * What a run is about to do and how long it will take, from what is here; null when every score is in the cache, or
 * comes from other machines, of which nothing is known. The time of a model is that of the whole suite, times the
 * share of its work that is left.
 */
export async function runOverview(
  run: PlannedRun,
  plans: readonly ModelPlan[],
  device: Device,
): Promise<RunOverview | null> {
  const { workspace } = run;
  const { toScore: rows, costs } = toScore(run, plans);
  if (rows === 0 || workspace.options.elsewhere !== undefined) return null;
  const cores = availableParallelism();
  const here = plans.map(({ model, found }) => {
    const bytes = found !== null && 'bytes' in found.place ? found.place.bytes : null;
    return { model: model.id, bytes, asked: [], memory: null };
  });
  const { models } = await estimateRun(workspace, here, { device, cores, free: Number.POSITIVE_INFINITY });
  const concerned = models.filter(({ model }) => costs.has(model));
  const expected = new Map<string, ExpectedTime>();
  for (const { model, hours, startSeconds } of concerned) {
    const whole = wholeCost(run, plans, model);
    if (hours === null || whole === 0) continue;
    const start = startSeconds ?? 0;
    expected.set(model, { start, rows: ((3600 * hours - start) * (costs.get(model) ?? 0)) / whole });
  }
  const deviceOf = new Map(plans.map(({ model }) => [model.id, deviceFor(model, device)]));
  const placed = concerned.map(({ model, bytes }) => ({ model, bytes, device: deviceOf.get(model) ?? device }));
  const places = sideBySide(placed, { device, cores });
  const secondsOf = (id: string) => (expected.get(id)?.start ?? 0) + (expected.get(id)?.rows ?? 0);
  const isKnown = expected.size === concerned.length;
  // The command itself has come here, and its files are hashed.
  const childSeconds = concerned.some(({ state }) => state === 'here') ? CHILD_SECONDS : 0;
  return {
    suite: workspace.suite.name,
    models: concerned.length,
    datasets: workspace.suite.datasets,
    device,
    cores,
    out: workspace.options.out,
    hours: isKnown ? (places.together(secondsOf) + childSeconds) / 3600 : null,
    expected: isKnown ? expected : new Map(),
    timed: concerned.every(({ speedFrom }) => speedFrom === 'measured'),
  };
}

/** What all rows of a model cost, those in the cache too. */
function wholeCost({ workspace }: PlannedRun, plans: readonly ModelPlan[], id: string): number {
  const plan = plans.find(({ model }) => model.id === id);
  if (plan === undefined) return 0;
  return allEntries(plan).reduce((sum, { dataset, way, entry }) => {
    if (entry.kind === 'unavailable') return sum;
    const rows = entry.kind === 'ready' ? entry.table.ids.length : entry.rowsDone + entry.rowsLeft;
    return sum + rows * rowCost(workspace, { plan, dataset, way });
  }, 0);
}
