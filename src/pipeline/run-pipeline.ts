import type { Scorer } from '../contract/scorer.js';
import { calibrateScores } from './calibrate-stage.js';
import { type ReportRun, writeReportStage } from './report-stage.js';
import { planScores } from './score/score-plan.js';
import { backendOf, openForScoring, scoreMissing, withoutRefresh } from './score-stage.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';
import { recordRun } from './write/run-record.js';

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
  const backend = await backendOf(workspace);
  const plans = await planScores(workspace, backend);
  const reasons = await scoreMissing(workspace, plans, backend, events, signal, scorer);
  const settled = withoutRefresh(workspace);
  const scored = reasons === null ? plans : await planScores(settled, backend);
  const run = await calibrateScores(settled, scored, reasons ?? new Map(), { events, record });
  events.onStage?.('report');
  return writeReportStage(options.out, run);
}
