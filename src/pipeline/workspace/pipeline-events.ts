import type { OtherRun } from '../../cache/runs-at-work.js';
import type { Device } from '../../contract/device.js';
import type { ScoringEvents } from '../../contract/scorer.js';
import type { DownloadProgress } from '../../hub/hub-access.js';

/** What a run has to score, told before its first row. */
export interface ScoringPlan {
  /** Rows still to score over all models. */
  readonly toScore: number;
  /** Rows that the cache has already. */
  readonly cached: number;
  /** By the id of each model with rows to score, what they cost together; only ratios of costs mean something. */
  readonly costs: ReadonlyMap<string, number>;
}

/** Seconds that a model is expected to take: until its first rows, and for all rows that it has to score. */
export interface ExpectedTime {
  readonly start: number;
  readonly rows: number;
}

/** What a run is about to do, before it scores a row. */
export interface RunOverview {
  readonly suite: string;
  readonly models: number;
  readonly datasets: readonly string[];
  readonly device: Device;
  readonly cores: number;
  /** Folder that the results go to. */
  readonly out: string;
  /** Hours of scoring; null: not known. */
  readonly hours: number | null;
  /** By the id of each model with rows to score, how long it is expected to take on its own; empty: not known. */
  readonly expected: ReadonlyMap<string, ExpectedTime>;
  /** Whether every model was timed by an earlier run: from the weights of a file alone, small models seem too fast. */
  readonly timed: boolean;
}

/** How a run tells its progress; the library itself never prints. */
export interface PipelineEvents extends ScoringEvents {
  /** Bytes of a file of the hub came. */
  onDownload?(progress: DownloadProgress): void;
  onStage?(stage: 'load' | 'score' | 'calibrate' | 'report'): void;
  onOverview?(overview: RunOverview): void;
  onScoringPlan?(plan: ScoringPlan): void;
  /** Rows of a model were made durable, whose part of the cost in the plan is `cost`. */
  onCost?(model: string, cost: number): void;
  /** What other runs do on the same cache, and how many models the suite has; now and then while there are some. */
  onOtherRuns?(runs: readonly OtherRun[], models: number): void;
}
