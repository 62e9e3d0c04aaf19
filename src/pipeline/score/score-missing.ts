import { availableParallelism } from 'node:os';
import { removeFinishedParts } from '../../cache/stale-files.js';
import type { Device } from '../../contract/device.js';
import type { ModelOutcome, Scorer } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { scoreBySource } from '../../scoring/source/score-by-source.js';
import { plain } from '../asking/plain.js';
import type { PlannedEntry } from '../join/planned-entry.js';
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
import { allEntries, type ModelPlan, plainEntries } from './score-plan.js';
import { stopAtLowMass } from './stop-at-low-mass.js';
import { findTwins, shareRows, type Twins, withTwins } from './twin-entries.js';

/** One run of scoring. */
export interface ScoringRun extends WritingRun {
  readonly device: Device;
  /** Takes the place of the scorers of the models' sources. */
  readonly scorer?: Scorer | undefined;
}

/**
 * Scores every entry that the plans leave open. Returns why a model failed, by model id, or null when there was
 * nothing to score (so no native code was loaded). Throws `interrupted` when the signal fires; rows stay on disk.
 */
export async function scoreMissing(run: ScoringRun, plans: readonly ModelPlan[]): Promise<Map<string, string> | null> {
  const { workspace, events } = run;
  await removeFinishedParts(workspace.options.cache);
  const unfetched = await fetchModels(plans);
  const open = plans.filter((plan) => !unfetched.has(plan.model.id)).flatMap(openEntries);
  const cached = plans.flatMap(allEntries).reduce((sum, { entry }) => sum + rowsInCache(entry), 0);
  const twins = findTwins(plans, open);
  const asked = open.filter((each) => !twins.ready.has(each) && !twins.scored.has(each));
  events.onScoringPlan?.(
    asked.reduce((sum, { entry }) => sum + entry.rowsLeft, 0),
    cached,
  );
  if (open.length === 0) return unfetched.size > 0 ? unfetched : null;
  events.onStage?.('score');
  const outcomes = await fillEntries(run, plans, open, twins);
  const failed = outcomes.flatMap((outcome) =>
    outcome.kind === 'failed' ? [[outcome.model, outcome.reason] as const] : [],
  );
  return new Map([...unfetched, ...failed]);
}

async function fillEntries(
  run: ScoringRun,
  plans: readonly ModelPlan[],
  open: readonly EntryToFill[],
  twins: Twins,
): Promise<ModelOutcome[]> {
  const { workspace, events, signal, device, scorer = scoreBySource(sourcesOf(plans)) } = run;
  const writers = new Map<EntryToFill, OpenEntryWriter>();
  try {
    // Locks are taken in name order, so that two runs with overlapping suites cannot wait for each other in a circle.
    for (const each of open.toSorted((a, b) => (a.entry.key.name < b.entry.key.name ? -1 : 1))) {
      if (each.entry.damage) events.onLog?.('warn', `damaged cache entry, scoring it again: ${each.entry.damage}`);
      writers.set(each, await openEntryWriter(run, each, () => plainTable(each, [...writers.values()])));
    }
    const sharing = await shareRows(writers, twins);
    const jobs = plans.flatMap((plan) => modelJob(plan, sharing));
    const limits = new Map(workspace.datasets.map(({ spec }) => [spec.id, leastOptionMass(spec.yaml.scoring)]));
    const probing = stopAtLowMass(scorer, (dataset) => limits.get(dataset) ?? 0);
    const { maxCost, devices } = workspace.options;
    const machine = { device, cores: availableParallelism(), ...(devices && { devices }) };
    const settings = { ...machine, signal, ...(maxCost !== undefined && { maxCost }) };
    const outcomes = await probing(jobs, settings, events);
    if (signal.aborted) throw new SupportCalError('interrupted', 'scoring was interrupted');
    await keepSpeeds(workspace.options.cache, plans, outcomes, device);
    return withTwins(outcomes, twins);
  } finally {
    await closeAll([...writers.values()]);
  }
}

function sourcesOf(plans: readonly ModelPlan[]) {
  return new Map(plans.map(({ model, source }) => [model.id, source]));
}

function openEntries(plan: ModelPlan): EntryToFill[] {
  return allEntries(plan).flatMap(({ dataset, way, entry }) =>
    entry.kind === 'open' ? [{ plan, dataset, way, entry }] : [],
  );
}

/** Plain scores of a model: from the cache, or of this run, which scores them before those that build on them. */
async function plainTable({ plan, dataset }: EntryToFill, writers: readonly OpenEntryWriter[]) {
  const entry = plainEntries(plan).get(dataset);
  if (entry?.kind === 'ready') return entry.table;
  const isPlain = ({ way, model, job }: OpenEntryWriter) =>
    way === plain.name && model === plan.model.id && job.dataset === dataset;
  const writer = writers.find(isPlain);
  if (writer === undefined) throw new SupportCalError('internal', `${plan.model.id}: no plain scores on ${dataset}`);
  return writer.table();
}

/** Closes every writer, also when one of them could not keep its rows; then says so. */
async function closeAll(writers: readonly OpenEntryWriter[]): Promise<void> {
  const closed = await Promise.allSettled(writers.map((writer) => writer.close()));
  for (const each of closed) if (each.status === 'rejected') throw each.reason;
}

function rowsInCache(entry: PlannedEntry): number {
  if (entry.kind === 'ready') return entry.table.ids.length;
  return entry.kind === 'open' ? entry.rowsDone : 0;
}
