import type { OtherRun } from '../../cache/runs-at-work.js';
import type { ScoringEvents } from '../../contract/scorer.js';
import type { DownloadProgress } from '../../hub/hub-access.js';

/** How a run tells its progress; the library itself never prints. */
export interface PipelineEvents extends ScoringEvents {
  /** Bytes of a file of the hub came. */
  onDownload?(progress: DownloadProgress): void;
  onStage?(stage: 'load' | 'score' | 'calibrate' | 'report'): void;
  /** Rows still to score over all models, and rows that the cache already has. */
  onScoringPlan?(rowsToScore: number, rowsCached: number): void;
  /** What other runs do on the same cache, and how many models the suite has; now and then while there are some. */
  onOtherRuns?(runs: readonly OtherRun[], models: number): void;
}
