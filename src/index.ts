export {
  type CalibrationInput,
  calibrateTarget,
  type MethodOutcome,
  type SplitCalibration,
  type TargetCalibration,
} from './calibration/calibrate-target.js';
export {
  type AccuracyEvidence,
  CALIBRATION_METHODS,
  type CalibrationMethod,
  type UnlabelledSplit,
} from './calibration/methods.js';
export { splitExamples } from './calibration/split-examples.js';
export type { TemperatureOutcome } from './calibration/temperature-outcome.js';
export { klDivergences, weightedKl } from './calibration/weighted-kl.js';
export { applyTemperature } from './deploy/apply-temperature.js';
export type { CalibrationArtefact } from './deploy/artefact-schema.js';
export type { Fault } from './errors/supportcal-error.js';
export { SupportCalError } from './errors/supportcal-error.js';
export { binErrors } from './metrics/bin-errors.js';
export { ece } from './metrics/ece.js';
export { evaluate } from './metrics/evaluate.js';
export { reliabilityBins } from './metrics/reliability-bins.js';
export { raggedRows } from './numeric/ragged-rows.js';
export { calibrateStage } from './pipeline/calibrate-stage.js';
export { compareStage } from './pipeline/compare-stage.js';
export { exportStage } from './pipeline/export-stage.js';
export { importLogits } from './pipeline/import-logits.js';
export { predictLogits } from './pipeline/predict-logits.js';
export { predictQuestions, readArtefact } from './pipeline/predict-stage.js';
export { reportStage } from './pipeline/report-stage.js';
export type { RunOptions } from './pipeline/run-options.js';
export { runPipeline } from './pipeline/run-pipeline.js';
export { scoreStage } from './pipeline/score-stage.js';
export { validateWorkspace } from './pipeline/validate-workspace.js';
export type { Diagnostics, Results, RunResult } from './report/results-schema.js';
export type { Scorer } from './scoring/contract.js';
