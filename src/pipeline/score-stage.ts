import type { Scorer } from '../contract/scorer.js';
import type { PlannedEntry } from './join/planned-entry.js';
import { deviceOf, openForScoring, withoutRefresh } from './score/open-for-scoring.js';
import { scoreMissing } from './score/score-missing.js';
import { type AskedEntry, allEntries, type ModelPlan, planScores } from './score/score-plan.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';

export interface ScoreSummary {
  /** failed: no entry has a row that can be used. */
  readonly status: 'complete' | 'partial' | 'failed';
  readonly entries: ReadonlyArray<{
    readonly model: string;
    readonly dataset: string;
    /** Name of the way of asking: `plain`, `rotations` (the options in every cyclic order), `elicitation`, ... */
    readonly prompts: string;
    readonly state: 'imported' | 'cached' | 'scored' | 'failed';
    readonly rows: number;
    readonly failedRows: number;
    readonly reason: string | null;
  }>;
}

/**
 * `supportcal score`: brings the cache up to date for a suite.
 *
 * @param scorer takes the place of llama.cpp in child processes
 */
export async function scoreStage(
  options: RunOptions,
  events: PipelineEvents,
  signal: AbortSignal,
  scorer?: Scorer,
): Promise<ScoreSummary> {
  events.onStage?.('load');
  const workspace = await openForScoring(options, events, signal);
  const device = await deviceOf(workspace);
  const before = await planScores(workspace, device);
  const reasons = await scoreMissing({ workspace, device, events, signal, scorer }, before);
  const after = reasons === null ? before : await planScores(withoutRefresh(workspace), device);
  const entries = after.flatMap((plan, m) => {
    const earlier = before[m]?.entries;
    return allEntries(plan).map((each) =>
      summarise(plan, each, { before: earlier?.get(each.way)?.get(each.dataset), reasons }),
    );
  });
  return { status: statusOf(entries), entries };
}

function statusOf(entries: ScoreSummary['entries']): ScoreSummary['status'] {
  if (entries.every(({ state, rows, failedRows }) => state === 'failed' || rows === failedRows)) return 'failed';
  return entries.some(({ state, failedRows }) => state === 'failed' || failedRows > 0) ? 'partial' : 'complete';
}

/** What was known of an entry before it was scored, and why models failed. */
interface Scored {
  readonly before: PlannedEntry | undefined;
  readonly reasons: ReadonlyMap<string, string> | null;
}

function summarise(
  { model }: ModelPlan,
  { dataset, way, entry: after }: AskedEntry,
  { before, reasons }: Scored,
): ScoreSummary['entries'][number] {
  const base = { model: model.id, dataset, prompts: way };
  if (after.kind === 'ready') {
    const state = after.imported ? 'imported' : before?.kind === 'ready' ? 'cached' : 'scored';
    return { ...base, state, rows: after.manifest.rows, failedRows: after.manifest.failed, reason: null };
  }
  const reason = after.kind === 'unavailable' ? after.reason : (reasons?.get(model.id) ?? 'not all rows were scored');
  return { ...base, state: 'failed', rows: 0, failedRows: 0, reason };
}
