import { availableParallelism } from 'node:os';
import path from 'node:path';
import { removeFinishedParts } from '../cache/stale-files.js';
import type { ModelFacts, Scorer } from '../contract/scorer.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { resolveBackend } from '../scoring/device/resolve-backend.js';
import { scoreModels } from '../scoring/score-models.js';
import type { PlannedEntry } from './join/planned-entry.js';
import { fetchModels, lookUpModels } from './score/fetch-models.js';
import { keepSpeeds } from './score/model-speeds.js';
import { modelJob, type OpenSession, openSession } from './score/open-session.js';
import { probeModel } from './score/probe-model.js';
import { allEntries, type KindedEntry, type ModelPlan, planScores } from './score/score-plan.js';
import { openWorkspace } from './workspace/load-workspace.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';
import type { PromptKind, Workspace } from './workspace/workspace.js';

export interface ScoreSummary {
  /** failed: no entry has a row that can be used. */
  readonly status: 'complete' | 'partial' | 'failed';
  readonly entries: ReadonlyArray<{
    readonly model: string;
    readonly dataset: string;
    /** rotations: the options in every cyclic order, for methods that need them. */
    readonly prompts: PromptKind;
    readonly state: 'imported' | 'cached' | 'scored' | 'failed';
    readonly rows: number;
    readonly failedRows: number;
    readonly reason: string | null;
  }>;
}

/** `supportcal score`: brings the cache up to date for a suite. */
export async function scoreStage(
  options: RunOptions,
  events: PipelineEvents,
  signal: AbortSignal,
  scorer: Scorer = scoreModels,
): Promise<ScoreSummary> {
  events.onStage?.('load');
  const workspace = await openForScoring(options, events, signal);
  const backend = await backendOf(workspace);
  const before = await planScores(workspace, backend);
  const reasons = await scoreMissing(workspace, before, backend, events, signal, scorer);
  const after = reasons === null ? before : await planScores(withoutRefresh(workspace), backend);
  const entries = after.flatMap((plan, m) => {
    const earlier = allEntries(before[m]!);
    return allEntries(plan).map((each, e) => summarise(plan, each, earlier[e]!.entry, reasons));
  });
  return { status: statusOf(entries), entries };
}

function statusOf(entries: ScoreSummary['entries']): ScoreSummary['status'] {
  if (entries.every(({ state, rows, failedRows }) => state === 'failed' || rows === failedRows)) return 'failed';
  return entries.some(({ state, failedRows }) => state === 'failed' || failedRows > 0) ? 'partial' : 'complete';
}

/** Opens the workspace and finds out which files of the hub it needs. */
export async function openForScoring(
  options: RunOptions,
  events: PipelineEvents,
  signal: AbortSignal,
): Promise<Workspace> {
  const workspace = await openWorkspace(options, { events, signal });
  return { ...workspace, unfound: await lookUpModels(workspace) };
}

/** The backend that scores are made with and found under; nothing is probed when every score is imported. */
export async function backendOf(workspace: Workspace): Promise<ModelFacts['backend']> {
  if (workspace.plan.models.every((model) => model.file === undefined)) return 'cpu';
  const decodeWith = probeModel();
  return resolveBackend(workspace.options.gpu, path.join(workspace.options.cache, 'backends.json'), {
    ...(decodeWith !== undefined && { modelPath: decodeWith }),
  });
}

/** After scoring, the second look at the cache must find what was just refreshed. */
export function withoutRefresh(workspace: Workspace): Workspace {
  return { ...workspace, options: { ...workspace.options, refresh: false } };
}

/**
 * Scores every entry that the plan leaves open. Returns why a model failed, by model id, or null when there was
 * nothing to score (so no native code was loaded). Throws `interrupted` when the signal fires; rows stay on disk.
 */
export async function scoreMissing(
  workspace: Workspace,
  plans: readonly ModelPlan[],
  backend: ModelFacts['backend'],
  events: PipelineEvents,
  signal: AbortSignal,
  scorer: Scorer = scoreModels,
): Promise<Map<string, string> | null> {
  await removeFinishedParts(workspace.options.cache);
  const unfetched = await fetchModels(workspace, plans);
  const open = plans
    .filter((plan) => !unfetched.has(plan.model.id))
    .flatMap((plan) =>
      allEntries(plan).flatMap(({ entry, ...of }) => (entry.kind === 'open' ? [{ plan, of, entry }] : [])),
    );
  const cached = plans.flatMap(allEntries).reduce((sum, { entry }) => sum + rowsInCache(entry), 0);
  events.onScoringPlan?.(
    open.reduce((sum, each) => sum + each.entry.rowsLeft, 0),
    cached,
  );
  if (open.length === 0) return unfetched.size > 0 ? unfetched : null;
  events.onStage?.('score');
  const sessions: OpenSession[] = [];
  try {
    // Locks are taken in name order, so that two runs with overlapping suites cannot wait for each other in a circle.
    for (const each of open.toSorted((a, b) => (a.entry.key.name < b.entry.key.name ? -1 : 1))) {
      if (each.entry.damage) events.onLog?.('warn', `damaged cache entry, scoring it again: ${each.entry.damage}`);
      const plainScores = () => plainTable(each.plan, each.of.dataset, sessions);
      sessions.push(await openSession(workspace, each.plan, each.of, each.entry.key, events, signal, plainScores));
    }
    const jobs = plans.flatMap((plan) => modelJob(plan, sessions));
    const outcomes = await scorer(jobs, { backend, cores: availableParallelism(), signal }, events);
    if (signal.aborted) throw new SupportCalError('interrupted', 'scoring was interrupted');
    await keepSpeeds(workspace.options.cache, plans, outcomes, backend);
    const failed = outcomes.flatMap((outcome) =>
      outcome.kind === 'failed' ? [[outcome.model, outcome.reason] as const] : [],
    );
    return new Map([...unfetched, ...failed]);
  } finally {
    await closeAll(sessions);
  }
}

/** Plain scores of a model: from the cache, or of this run, which scores them before those that build on them. */
async function plainTable({ model, entries }: ModelPlan, dataset: string, sessions: readonly OpenSession[]) {
  const entry = entries.get(dataset);
  if (entry?.kind === 'ready') return entry.table;
  const isPlain = ({ kind, job, ...of }: OpenSession) =>
    kind === 'plain' && of.model === model.id && job.dataset === dataset;
  return sessions.find(isPlain)!.table();
}

/** Closes every session, also when one of them could not keep its rows; then says so. */
async function closeAll(sessions: readonly OpenSession[]): Promise<void> {
  const closed = await Promise.allSettled(sessions.map((session) => session.close()));
  for (const each of closed) if (each.status === 'rejected') throw each.reason;
}

function rowsInCache(entry: PlannedEntry): number {
  if (entry.kind === 'ready') return entry.table.ids.length;
  return entry.kind === 'open' ? entry.rowsDone : 0;
}

function summarise(
  plan: ModelPlan,
  { dataset, kind, entry: after }: KindedEntry,
  before: PlannedEntry,
  reasons: ReadonlyMap<string, string> | null,
): ScoreSummary['entries'][number] {
  const base = { model: plan.model.id, dataset, prompts: kind };
  if (after.kind === 'ready') {
    const state = after.imported ? 'imported' : before.kind === 'ready' ? 'cached' : 'scored';
    return { ...base, state, rows: after.manifest.rows, failedRows: after.manifest.failed, reason: null };
  }
  const reason =
    after.kind === 'unavailable' ? after.reason : (reasons?.get(plan.model.id) ?? 'not all rows were scored');
  return { ...base, state: 'failed', rows: 0, failedRows: 0, reason };
}
