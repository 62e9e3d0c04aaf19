import { reasonOn } from '../contract/failure-reasons.js';
import type { Scorer } from '../contract/scorer.js';
import { scoreWithinDisk } from './disk/score-within-disk.js';
import { runOverview } from './estimate/run-overview.js';
import type { PlannedEntry } from './join/planned-entry.js';
import { deviceOf, openForScoring, withChildAhead, withoutRefresh } from './score/open-for-scoring.js';
import { type AskedEntry, allEntries, type ModelPlan, planScores } from './score/score-plan.js';
import { type ShardRows, shardRows } from './score/shard-rows.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';

export interface ScoreSummary {
  /** What became of the entries that this run had to score. failed: no entry has a row that can be used. */
  readonly status: 'complete' | 'partial' | 'failed';
  readonly entries: ReadonlyArray<{
    readonly model: string;
    readonly dataset: string;
    /** Name of the way of asking: `plain`, `rotations` (the options in every cyclic order), `elicitation`, ... */
    readonly prompts: string;
    /** elsewhere: other shards have rows of it to score. */
    readonly state: 'imported' | 'cached' | 'scored' | 'elsewhere' | 'failed';
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
  const { before, shard, reasons } = await withChildAhead(workspace, { device, scorer }, async () => {
    const before = await planScores(workspace, device);
    const shard = options.shard === undefined ? null : shardRows(workspace, before, options.shard);
    const overview = await runOverview({ workspace, shard }, before, device);
    if (overview !== null) events.onOverview?.(overview);
    const reasons = await scoreWithinDisk({ workspace, device, events, signal, scorer, shard }, before);
    return { before, shard, reasons };
  });
  const after = reasons === null ? before : await planScores(withoutRefresh(workspace), device);
  const entries = after.flatMap((plan, m) => {
    const earlier = before[m]?.entries;
    return allEntries(plan).map((each) =>
      summarise(plan, each, { before: earlier?.get(each.way)?.get(each.dataset), reasons, shard }),
    );
  });
  return { status: statusOf(entries), entries };
}

function statusOf(all: ScoreSummary['entries']): ScoreSummary['status'] {
  const entries = all.filter(({ state }) => state !== 'elsewhere');
  if (entries.length === 0) return 'complete';
  if (entries.every(({ state, rows, failedRows }) => state === 'failed' || rows === failedRows)) return 'failed';
  return entries.some(({ state, failedRows }) => state === 'failed' || failedRows > 0) ? 'partial' : 'complete';
}

/** What was known of an entry before it was scored, and why models failed. */
interface Scored {
  readonly before: PlannedEntry | undefined;
  readonly reasons: ReadonlyMap<string, string> | null;
  readonly shard: ShardRows | null;
}

function summarise(
  { model }: ModelPlan,
  { dataset, way, entry: after }: AskedEntry,
  { before, reasons, shard }: Scored,
): ScoreSummary['entries'][number] {
  const base = { model: model.id, dataset, prompts: way };
  if (after.kind === 'ready') {
    const state = after.imported ? 'imported' : before?.kind === 'ready' ? 'cached' : 'scored';
    return { ...base, state, rows: after.manifest.rows, failedRows: after.manifest.failed, reason: null };
  }
  const ours = after.kind === 'open' && (shard === null || shard.has(after.key.name));
  if (shard !== null && after.kind === 'open' && !(ours && reasons?.has(model.id)))
    return { ...base, state: 'elsewhere', rows: 0, failedRows: 0, reason: 'rows of other shards are still to come' };
  const reason =
    after.kind === 'unavailable' ? after.reason : (reasonOn(reasons, model.id, dataset) ?? 'not all rows were scored');
  return { ...base, state: 'failed', rows: 0, failedRows: 0, reason };
}
