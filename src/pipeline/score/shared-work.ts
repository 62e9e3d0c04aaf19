import type { LockSeekers } from '../../cache/lock/lock-seekers.js';
import type { PartReader } from '../../cache/parts/part-reader.js';
import type { RunsAtWork } from '../../cache/runs-at-work.js';
import type { AnyModelJob, ModelOutcome, ScoringEvents } from '../../contract/scorer.js';
import type { EntryToFill, WritingRun } from './open-entry-writer.js';
import type { ModelPlan } from './score-plan.js';
import type { ShardRows } from './shard-rows.js';

/** Scores jobs until they are done or the signal fires, after which the rows in hand still come. */
export type ScoreJobs = (
  jobs: readonly AnyModelJob[],
  signal: AbortSignal,
  events: ScoringEvents,
) => Promise<readonly ModelOutcome[]>;

/** Entries that a run has to see filled, by itself or by others. */
export interface SharedWork {
  readonly run: WritingRun;
  readonly plans: readonly ModelPlan[];
  readonly open: readonly EntryToFill[];
  readonly score: ScoreJobs;
  /** Rows that are this run's to score; null: all. */
  readonly shard: ShardRows | null;
  /** Milliseconds between two looks at what other runs do; for tests. */
  readonly pollMs?: number | undefined;
}

/** A run on its way through shared work. */
export interface SharedState extends SharedWork {
  /** Entries that still lack rows, by name. */
  readonly left: Map<string, EntryToFill>;
  readonly runs: RunsAtWork;
  readonly seek: LockSeekers;
  readonly readParts: PartReader;
  /** Models that cannot be scored here. */
  readonly failed: Set<string>;
  readonly outcomes: ModelOutcome[];
}
