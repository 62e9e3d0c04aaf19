import type { Scorer } from '../contract/scorer.js';
import { scoreWithinDisk } from './disk/score-within-disk.js';
import { runOverview } from './estimate/run-overview.js';
import { deviceOf, openForScoring, withChildAhead, withoutRefresh } from './score/open-for-scoring.js';
import { planScores } from './score/score-plan.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';
import { lockRunFolder } from './write/lock-run-folder.js';
import { recordRun } from './write/run-record.js';
import { writeCalibration } from './write/write-calibration.js';
import { type ReportRun, writeReportFiles } from './write/write-report-files.js';

/**
 * `supportcal pipeline`: score what the cache lacks, calibrate, report.
 *
 * @param scorer takes the place of llama.cpp in child processes
 */
export async function runPipeline(
  options: RunOptions,
  given: PipelineEvents,
  signal: AbortSignal,
  scorer?: Scorer,
): Promise<ReportRun> {
  const { events, record } = recordRun(given);
  events.onStage?.('load');
  const workspace = await openForScoring(options, events, signal);
  const device = await deviceOf(workspace);
  const { plans, reasons } = await withChildAhead(workspace, { device, scorer }, async () => {
    const plans = await planScores(workspace, device);
    const overview = await runOverview({ workspace }, plans, device);
    if (overview !== null) events.onOverview?.(overview);
    const reasons = await scoreWithinDisk({ workspace, device, events, signal, scorer }, plans);
    return { plans, reasons };
  });
  const settled = withoutRefresh(workspace);
  const scored = reasons === null ? plans : await planScores(settled, device);
  return lockRunFolder(options.out, { events, signal }, async () => {
    const run = await writeCalibration(settled, scored, reasons ?? new Map(), { events, record, signal });
    events.onStage?.('report');
    return writeReportFiles(options.out, run);
  });
}
