import type { ScoringEvents } from '../../contract/scorer.js';
import type { DownloadProgress } from '../../hub/hub-access.js';

/** How a run tells its progress; the library itself never prints. */
export interface PipelineEvents extends ScoringEvents {
  /** Bytes of a file of the hub came. */
  onDownload?(progress: DownloadProgress): void;
  onStage?(stage: 'load' | 'score' | 'calibrate' | 'report'): void;
  /** Rows still to score over all models, and rows that the cache already has. */
  onScoringPlan?(rowsToScore: number, rowsCached: number): void;
}
