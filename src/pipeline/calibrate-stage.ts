import { openEarly } from './calibrate/early-threads.js';
import { deviceOf, withoutRefresh } from './score/open-for-scoring.js';
import { planScores } from './score/score-plan.js';
import { openWorkspace } from './workspace/load-workspace.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';
import { lockRunFolder } from './write/lock-run-folder.js';
import { recordRun } from './write/run-record.js';
import { type CalibrationRun, writeCalibration } from './write/write-calibration.js';

/** `supportcal calibrate`: results.json from the scores in the cache. Never loads a model. */
export async function calibrateStage(
  options: RunOptions,
  given: PipelineEvents,
  signal?: AbortSignal,
): Promise<CalibrationRun> {
  const recorded = recordRun(given);
  recorded.events.onStage?.('load');
  const workspace = withoutRefresh(await openWorkspace(options, { events: recorded.events }));
  const early = openEarly(workspace);
  try {
    const plans = await planScores(workspace, await deviceOf(workspace));
    const { events } = recorded;
    return await lockRunFolder(options.out, { events, signal }, () =>
      writeCalibration(workspace, plans, new Map(), { ...recorded, signal, early }),
    );
  } finally {
    await early?.close();
  }
}
