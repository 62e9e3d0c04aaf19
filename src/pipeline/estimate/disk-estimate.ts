import type { Device } from '../../contract/device.js';
import { hubReferences } from '../../models/model-references.js';
import { type DiskTurn, diskSchedule, inDiskOrder, leastBudget } from '../disk/disk-schedule.js';
import { diskTurns, type FileTurn } from '../disk/disk-turns.js';
import { neededElsewhere } from '../disk/needed-elsewhere.js';
import { diskLimits } from '../disk/score-within-disk.js';
import { smallBudget } from '../disk/small-budget.js';
import { planScores } from '../score/score-plan.js';
import type { Workspace } from '../workspace/workspace.js';
import type { RunEstimate } from './run-estimate.js';

/** One step of a run under a budget. Sizes in bytes, times in hours since the start. */
export interface DiskStep {
  readonly models: readonly string[];
  /** What its downloads take when they are here, and how much of that is still to be fetched. */
  readonly bytes: number;
  readonly toFetch: number;
  /** What stays after scoring. */
  readonly keeps: number;
  /** null: nothing is fetched for it, or the budget is too small. */
  readonly fetchedAt: number | null;
  /** null: the budget is too small. */
  readonly scoredAt: number | null;
}

/** How a whole run from an empty cache goes under `--disk` or `removeAfterScoring`. */
export interface DiskEstimate {
  /** null: no limit, files are only removed. */
  readonly budget: number | null;
  /** The least budget that works. */
  readonly least: number;
  /** Most bytes of downloads at a time, and how many of them are here now; null: the budget is too small. */
  readonly peak: number | null;
  readonly here: number;
  readonly hours: number | null;
  /** Bytes per second that a download is taken to bring. */
  readonly bytesPerSecond: number;
  readonly steps: readonly DiskStep[];
  /** Models whose size or time is not known; they count as nothing. */
  readonly unknown: readonly string[];
  /** What is wrong with the budget. */
  readonly problem: string | null;
}

const BYTES_PER_SECOND = 100e6;

/** null: the run has no budget, and removes nothing. Asks nobody: sizes that were never listed are estimated. */
export async function diskEstimate(
  workspace: Workspace,
  device: Device,
  { models }: Pick<RunEstimate, 'models'>,
): Promise<DiskEstimate | null> {
  const limits = diskLimits(workspace);
  if (limits === null) return null;
  const needed = await neededElsewhere(workspace, device);
  const plans = await planScores(workspace, device);
  const known = await diskTurns(workspace, plans, { needed, fromNothing: true });
  const estimates = new Map(models.map((each) => [each.model, each]));
  const turns = inDiskOrder(known.flatMap((turn) => withUnlisted(turn, { needed, estimates })));
  const secondsOf = ({ models: ids }: DiskTurn) =>
    ids.reduce((sum, id) => sum + 3600 * (estimates.get(id)?.hours ?? 0), 0);
  const schedule = diskSchedule(turns, limits, { bytesPerSecond: BYTES_PER_SECOND, secondsOf });
  const unknown = models.filter(
    ({ state, hours, bytes }) => state !== 'imported' && (hours === null || (state === 'missing' && bytes === null)),
  );
  return {
    budget: Number.isFinite(limits.budget) ? limits.budget : null,
    least: leastBudget(turns),
    peak: schedule?.peak ?? null,
    here: turns.reduce((sum, { onDisk }) => sum + onDisk, 0),
    hours: schedule && schedule.seconds / 3600,
    bytesPerSecond: BYTES_PER_SECOND,
    steps: turns.map((turn, t) => {
      const step = schedule?.steps[t];
      return {
        models: turn.models,
        bytes: turn.onDisk + turn.toFetch,
        toFetch: turn.toFetch,
        keeps: turn.keeps,
        fetchedAt: step === undefined || turn.toFetch === 0 ? null : step.fetchedAt / 3600,
        scoredAt: step === undefined ? null : step.scoredAt / 3600,
      };
    }),
    unknown: unknown.map(({ model }) => model),
    problem: smallBudget(workspace.suite.name, turns, { ...limits, needed }),
  };
}

interface Estimated {
  readonly needed: ReadonlyMap<string, string>;
  readonly estimates: ReadonlyMap<string, RunEstimate['models'][number]>;
}

/** Models of the hub that were never looked up have no listed files; each is a step of its estimated size. */
function withUnlisted(turn: FileTurn, { needed, estimates }: Estimated): DiskTurn[] {
  if (turn.files.length > 0) return [turn];
  const isUnlisted = (plan: FileTurn['plans'][number]) =>
    hubReferences(plan.model).length > 0 && estimates.get(plan.model.id)?.state === 'missing';
  const others = turn.plans.filter((plan) => !isUnlisted(plan)).map(({ model }) => model.id);
  const unlisted = turn.plans.filter(isUnlisted).map(({ model: { id } }): DiskTurn => {
    const bytes = estimates.get(id)?.bytes ?? 0;
    const keeps = needed.has(id) ? bytes : 0;
    return { models: [id], onDisk: 0, toFetch: bytes, keeps, finished: false };
  });
  return [...(others.length > 0 ? [{ ...turn, models: others }] : []), ...unlisted];
}
