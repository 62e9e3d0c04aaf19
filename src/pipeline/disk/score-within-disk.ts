import { readEntry } from '../../cache/read-entry.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { sourceOf } from '../../scoring/source/source-of.js';
import type { EntryToFill } from '../score/open-entry-writer.js';
import { withoutRefresh } from '../score/open-for-scoring.js';
import { openEntries, type ScoringRun, scoreMissing, toScore } from '../score/score-missing.js';
import { type ModelPlan, planScores } from '../score/score-plan.js';
import type { Workspace } from '../workspace/workspace.js';
import { DiskLedger } from './disk-ledger.js';
import { type DiskLimits, inDiskOrder } from './disk-schedule.js';
import { diskTurns, type FileTurn } from './disk-turns.js';
import { neededElsewhere } from './needed-elsewhere.js';
import { smallBudget } from './small-budget.js';

type Reasons = ReadonlyMap<string, string>;

/**
 * `scoreMissing` with the downloads of the suite kept under a budget: models are scored one after the other, the next
 * file is fetched meanwhile where it fits, and a file goes once all its scores are complete in the cache. Without a
 * limit it is `scoreMissing` itself.
 *
 * @throws SupportCalError bad-input when the budget is too small for some file, before anything is fetched; usage
 */
export async function scoreWithinDisk(
  run: ScoringRun,
  plans: readonly ModelPlan[],
): Promise<Map<string, string> | null> {
  const { workspace, device, events } = run;
  const limits = diskLimits(workspace);
  if (limits === null || workspace.options.elsewhere !== undefined) return scoreMissing(run, plans);
  refuseShard(workspace);
  const needed = await neededElsewhere(workspace, device);
  const turns = inDiskOrder(await diskTurns(workspace, plans, { needed }));
  const problem = smallBudget(workspace.suite.name, turns, { ...limits, needed });
  if (problem !== null) throw new SupportCalError('bad-input', problem);
  const onRemoved = (message: string) => events.onLog?.('info', message);
  const ledger = new DiskLedger({ ...limits, turns, hub: workspace.hub, onRemoved });
  await ledger.tidy();
  const open = turns.filter(({ finished }) => !finished);
  if (open.length === 0) return scoreMissing(run, plans);
  events.onStage?.('score');
  events.onScoringPlan?.(toScore(run, plans));
  return new Map(await scoreTurns(run, open, ledger));
}

/** null: downloads are as large as they are. */
export function diskLimits({ options, models, suite }: Workspace): DiskLimits | null {
  const eager = models.suites[suite.name]?.removeAfterScoring ?? false;
  return eager || options.disk !== undefined ? { budget: options.disk ?? Number.POSITIVE_INFINITY, eager } : null;
}

function refuseShard({ options }: Workspace): void {
  if (options.shard === undefined || options.disk === undefined) return;
  const message = '--disk and --shard do not go together: a shard cannot know when others are through with a file';
  throw new SupportCalError('usage', message);
}

/** Fetches turn after turn beside the scoring of those that are here. */
async function scoreTurns(run: ScoringRun, turns: readonly FileTurn[], ledger: DiskLedger): Promise<Reasons> {
  const stop = new AbortController();
  const fetches = startFetches(run, { turns, ledger, stop: stop.signal });
  const all = new Map<string, string>();
  try {
    for (const [t, turn] of turns.entries()) {
      const unfetched = (await fetches[t]) ?? new Map<string, string>();
      const reasons = await scoreTurn(run, turn, unfetched);
      for (const [model, reason] of [...unfetched, ...reasons]) all.set(model, reason);
      // With --refresh the entry of a model that failed may be the one from before.
      const failed = unfetched.size > 0 || (run.workspace.options.refresh && reasons.size > 0);
      await ledger.end(turn, !failed && (await isComplete(run, turn)));
    }
    return all;
  } finally {
    stop.abort();
    ledger.stop();
    await Promise.allSettled(fetches);
  }
}

interface Fetching {
  readonly turns: readonly FileTurn[];
  readonly ledger: DiskLedger;
  readonly stop: AbortSignal;
}

/** For each turn why models of it could not be fetched. Each fetch begins after the one before. */
function startFetches(run: ScoringRun, { turns, ledger, stop }: Fetching): Promise<Reasons>[] {
  const { hub } = run.workspace;
  const signal = hub.signal === undefined ? stop : AbortSignal.any([hub.signal, stop]);
  const workspace = { ...run.workspace, hub: { ...hub, signal } };
  let before: Promise<unknown> = Promise.resolve();
  return turns.map((turn) => {
    const fetched = before.then(() => fetchTurn(workspace, turn, ledger));
    before = fetched;
    // Whoever scores the turns hears of it in time.
    fetched.catch(() => undefined);
    return fetched;
  });
}

async function fetchTurn(workspace: Workspace, turn: FileTurn, ledger: DiskLedger): Promise<Reasons> {
  const missing = turn.plans.filter((plan) => (plan.found?.missing.length ?? 0) > 0 && openEntries(plan).length > 0);
  if (missing.length === 0) return new Map();
  const bring = async () => {
    const reasons = new Map<string, string>();
    for (const { model } of missing) {
      const reason = await sourceOf(workspace, model).fetch();
      if (reason !== null) reasons.set(model.id, reason);
    }
    return reasons;
  };
  const reasons = await ledger.fetch(turn, bring);
  if (reasons !== null) return reasons;
  const reason =
    'there was no room for its file under --disk, since files of models before it stay: their scores are not complete. ' +
    'Mend those models, or name a larger budget';
  return new Map(missing.map(({ model }) => [model.id, reason]));
}

/** Scores what could be fetched of a turn. */
async function scoreTurn(run: ScoringRun, turn: FileTurn, unfetched: Reasons): Promise<Reasons> {
  const { onStage: _stage, onScoringPlan: _plan, ...events } = run.events;
  const plans = turn.plans.flatMap((plan) =>
    unfetched.has(plan.model.id) ? [] : [{ ...plan, found: plan.found && { ...plan.found, missing: [] } }],
  );
  return (await scoreMissing({ ...run, events }, plans)) ?? new Map();
}

/** Whether every score of a turn is in the cache, as a reader finds it there. */
async function isComplete({ workspace, device }: ScoringRun, { plans }: FileTurn): Promise<boolean> {
  const lacking: EntryToFill[] = [];
  for (const each of plans.flatMap(openEntries))
    if ((await readEntry(workspace.options.cache, each.entry.key)).kind !== 'complete') lacking.push(each);
  if (lacking.length === 0) return true;
  // Those of a model that was scored with fewer sequences have other keys since.
  const models = workspace.suite.models.filter(({ id }) => lacking.some(({ plan }) => plan.model.id === id));
  const now = await planScores({ ...withoutRefresh(workspace), suite: { ...workspace.suite, models } }, device);
  return lacking.every(({ plan: { model }, way, dataset }) => {
    const entries = now.find((plan) => plan.model.id === model.id)?.entries;
    return entries?.get(way)?.get(dataset)?.kind === 'ready';
  });
}
