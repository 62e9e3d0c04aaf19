import { availableParallelism } from 'node:os';
import { sweepFinishedEntries } from '../../cache/stale-files.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import { reasonKey } from '../../contract/failure-reasons.js';
import type { ModelOutcome, Scorer } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { keepLowered } from '../../scoring/source/lowered-models.js';
import { scoreBySource } from '../../scoring/source/score-by-source.js';
import type { PlannedEntry } from '../join/planned-entry.js';
import type { ScoringPlan } from '../workspace/pipeline-events.js';
import type { Workspace } from '../workspace/workspace.js';
import { plainTable } from './claim-entries.js';
import { closeWriters } from './close-writers.js';
import { fetchModels } from './fetch-models.js';
import { leastOptionMass } from './least-option-mass.js';
import { keepSpeeds } from './model-speeds.js';
import {
  type EntryToFill,
  modelJob,
  type OpenEntryWriter,
  openEntryWriter,
  type WritingRun,
} from './open-entry-writer.js';
import { rowCost } from './row-cost.js';
import { allEntries, type ModelPlan, planScores } from './score-plan.js';
import type { ShardRows } from './shard-rows.js';
import { shareEntries } from './share-entries.js';
import type { ScoreJobs } from './shared-work.js';
import { stopAtLowMass } from './stop-at-low-mass.js';
import { fillTwins, findTwins, type Twins, withTwins } from './twin-entries.js';

/** One run of scoring. */
export interface ScoringRun extends WritingRun {
  readonly device: Device;
  /** Takes the place of the scorers of the models' sources. */
  readonly scorer?: Scorer | undefined;
  /** Rows that are this run's to score; absent: all. */
  readonly shard?: ShardRows | null | undefined;
  /** Milliseconds between two looks at what other runs do; for tests. */
  readonly pollMs?: number | undefined;
}

/** The part of a run that says which rows are its own. */
export type PlannedRun = Pick<ScoringRun, 'workspace' | 'shard'>;

/**
 * Scores every entry that the plans leave open. Returns why a model failed, by model id, or null when there was
 * nothing to score (so no native code was loaded). A model that fits into memory with fewer sequences alone is scored
 * with these, under the keys that models.yaml would give it then. Throws `interrupted` when the signal fires; rows stay
 * on disk.
 */
export async function scoreMissing(
  given: ScoringRun,
  plans: readonly ModelPlan[],
): Promise<Map<string, string> | null> {
  const run = quietOfLowered(given);
  const { workspace, events } = run;
  await sweepFinishedEntries(workspace.options.cache);
  const { shard = null } = run;
  const isOurs = ({ entry }: EntryToFill) => shard === null || shard.has(entry.key.name);
  const concerned = plans.filter((plan) => openEntries(plan).some(isOurs));
  const isHere = workspace.options.elsewhere === undefined;
  const unfetched = isHere ? await fetchModels(concerned) : new Map<string, string>();
  const open = concerned
    .filter((plan) => !unfetched.has(plan.model.id))
    .flatMap(openEntries)
    .filter(isOurs);
  const twins = findTwins(plans, open);
  events.onScoringPlan?.(scoringPlan(workspace, plans, askedAfter(open, twins)));
  for (const line of otherShapes(workspace, new Set(open.map(({ plan }) => plan)))) events.onLog?.('info', line);
  if (open.length === 0) return unfetched.size > 0 ? unfetched : null;
  events.onStage?.('score');
  const outcomes = await fillEntries(run, plans, open, twins);
  const failed = outcomes.flatMap((outcome) =>
    outcome.kind === 'failed'
      ? [
          [outcome.model, outcome.reason] as const,
          ...Object.entries(outcome.leftOut ?? {}).map(
            ([dataset, reason]) => [reasonKey(outcome.model, dataset), reason] as const,
          ),
        ]
      : [],
  );
  const reasons = new Map([...unfetched, ...failed]);
  const lowered = outcomes.filter((outcome) => isLowered(run, outcome)).map(({ model }) => model);
  if (lowered.length === 0) return reasons;
  for (const model of lowered) reasons.delete(model);
  return new Map([...reasons, ...(await scoreLowered(run, plans, outcomes))]);
}

/** Models that are scored otherwise than models.yaml says, as an earlier look at this machine found it right. */
function otherShapes({ suite }: Workspace, plans: ReadonlySet<ModelPlan>): string[] {
  return [...plans].flatMap(({ model }) => {
    const declared = suite.models.find(({ id }) => id === model.id)?.scoring ?? {};
    const others = Object.entries(model.scoring ?? {}).filter(([name]) => !Object.hasOwn(declared, name));
    const said = others.map(([name, value]) => `${name}: ${value}`).join(', ');
    return others.length === 0
      ? []
      : [
          `${model.id} is scored with { ${said} }, of which models.yaml says nothing (tuned.json or lowered.json in the cache)`,
        ];
  });
}

/** Rows of a shard, and those that other machines score, are of keys that are settled before. */
function isLowered({ shard = null, workspace }: PlannedRun, outcome: ModelOutcome): boolean {
  const settled = shard !== null || workspace.options.elsewhere !== undefined;
  return !settled && outcome.kind === 'failed' && outcome.fits !== undefined;
}

/** A model that goes on with fewer sequences has not failed. */
function quietOfLowered(run: ScoringRun): ScoringRun {
  const onModelEnd = (outcome: ModelOutcome) => {
    if (!isLowered(run, outcome)) run.events.onModelEnd?.(outcome);
  };
  return { ...run, events: { ...run.events, onModelEnd } };
}

/** Scores the models that need fewer sequences, once that is on record. Each time round they have fewer. */
async function scoreLowered(
  run: ScoringRun,
  plans: readonly ModelPlan[],
  outcomes: readonly ModelOutcome[],
): Promise<Map<string, string>> {
  const { workspace, device } = run;
  const { suite, options } = workspace;
  const models: ModelSpec[] = [];
  for (const outcome of outcomes) {
    const found = plans.find(({ model }) => model.id === outcome.model)?.found;
    const model = suite.models.find(({ id }) => id === outcome.model);
    if (outcome.kind !== 'failed' || outcome.fits === undefined || !found || model === undefined) continue;
    await keepLowered(options.cache, { model, sha256: found.sha256, device }, outcome.fits);
    run.events.onLog?.('warn', `${outcome.reason}; it is scored so, now and in later runs`);
    models.push(model);
  }
  const again = await planScores({ ...workspace, suite: { ...suite, models } }, device);
  const { onStage: _stage, onScoringPlan: _plan, ...events } = run.events;
  return (await scoreMissing({ ...run, events }, again)) ?? new Map();
}

async function fillEntries(
  run: ScoringRun,
  plans: readonly ModelPlan[],
  open: readonly EntryToFill[],
  twins: Twins,
): Promise<ModelOutcome[]> {
  const { workspace, signal, shard = null, pollMs } = run;
  const score = scorerOf(run, plans);
  const { refresh, maxCost, elsewhere } = workspace.options;
  const asked = askedAfter(open, twins);
  const outcomes =
    refresh || maxCost !== undefined || elsewhere !== undefined
      ? await fillAlone(run, { plans, open: asked, score })
      : await shareEntries({ run, plans, open: asked, score, shard, pollMs });
  if (signal.aborted) throw new SupportCalError('interrupted', 'scoring was interrupted');
  await fillTwins(run, twins);
  return withTwins(outcomes, twins);
}

/** The scorer of the run, which keeps how fast models were. */
function scorerOf(run: ScoringRun, plans: readonly ModelPlan[]): ScoreJobs {
  const { workspace, device } = run;
  const limits = new Map(workspace.datasets.map(({ spec }) => [spec.id, leastOptionMass(spec.yaml.scoring)]));
  const probing = stopAtLowMass(placedScorer(run, plans), (dataset) => limits.get(dataset) ?? 0);
  const { maxCost, devices } = workspace.options;
  const machine = { device, cores: availableParallelism(), ...(devices && { devices }) };
  return async (jobs, signal, events) => {
    const settings = { ...machine, signal, ...(maxCost !== undefined && { maxCost }) };
    const outcomes = await probing(jobs, settings, events);
    // How long many machines took says nothing of one.
    if (!signal.aborted && workspace.options.elsewhere === undefined)
      await keepSpeeds(workspace.options.cache, plans, outcomes, device);
    return outcomes;
  };
}

/**
 * Fills all entries in one piece, after waiting for other runs. With --refresh two runs that share would undo each
 * other, a limit of what a run may cost holds for all that it scores at once, and so does what goes over a queue.
 */
async function fillAlone(
  run: ScoringRun,
  { plans, open, score }: { plans: readonly ModelPlan[]; open: readonly EntryToFill[]; score: ScoreJobs },
): Promise<ModelOutcome[]> {
  const { events, signal } = run;
  const writers: OpenEntryWriter[] = [];
  try {
    // Locks are taken in name order, so that two runs with overlapping suites cannot wait for each other in a circle.
    for (const each of open.toSorted((a, b) => (a.entry.key.name < b.entry.key.name ? -1 : 1)))
      writers.push(await openEntryWriter(run, each, () => plainTable(run, each, writers)));
    const jobs = plans.flatMap((plan) => modelJob(plan, writers, run.device));
    const outcomes = await score(jobs, signal, events);
    if (signal.aborted) throw new SupportCalError('interrupted', 'scoring was interrupted');
    return [...outcomes];
  } finally {
    await closeWriters(writers);
  }
}

/** What is scored elsewhere is what needs a device; other sources work from here as ever. */
function placedScorer({ scorer, workspace }: ScoringRun, plans: readonly ModelPlan[]): Scorer {
  const { elsewhere } = workspace.options;
  if (scorer !== undefined && elsewhere === undefined) return scorer;
  return scoreBySource(
    new Map(
      plans.map(({ model, source }) => {
        const away = scorer !== undefined && source.score !== null && source.needs.device;
        return [model.id, away ? { ...source, score: scorer } : source];
      }),
    ),
  );
}

export function openEntries(plan: ModelPlan): EntryToFill[] {
  return allEntries(plan).flatMap(({ dataset, way, entry }) =>
    entry.kind === 'open' ? [{ plan, dataset, way, entry }] : [],
  );
}

/** What a run has to score itself, and how many rows are there already. */
export function toScore({ shard = null, workspace }: PlannedRun, plans: readonly ModelPlan[]): ScoringPlan {
  const open = plans.flatMap(openEntries).filter(({ entry }) => shard === null || shard.has(entry.key.name));
  return scoringPlan(workspace, plans, askedAfter(open, findTwins(plans, open)));
}

/** Entries that models have to be asked for: those of twins are copied. */
function askedAfter(open: readonly EntryToFill[], twins: Twins): readonly EntryToFill[] {
  return open.filter((each) => !twins.ready.has(each) && !twins.scored.has(each));
}

function scoringPlan(workspace: Workspace, plans: readonly ModelPlan[], asked: readonly EntryToFill[]): ScoringPlan {
  const costs = new Map<string, number>();
  for (const each of asked) {
    const { id } = each.plan.model;
    costs.set(id, (costs.get(id) ?? 0) + each.entry.rowsLeft * rowCost(workspace, each));
  }
  return {
    toScore: asked.reduce((sum, { entry }) => sum + entry.rowsLeft, 0),
    cached: plans.flatMap(allEntries).reduce((sum, { entry }) => sum + rowsInCache(entry), 0),
    costs,
  };
}

function rowsInCache(entry: PlannedEntry): number {
  if (entry.kind === 'ready') return entry.table.ids.length;
  return entry.kind === 'open' ? entry.rowsDone : 0;
}
