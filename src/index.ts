export {
  type CalibrationInput,
  calibrateTarget,
  type MethodOutcome,
  type SplitCalibration,
  type TargetCalibration,
} from './calibration/calibrate-target.js';
export type { AccuracyEvidence, CalibrationMethod, UnlabelledSplit } from './calibration/calibration-method.js';
export type { TemperatureOutcome } from './calibration/fit/temperature-outcome.js';
export { klDivergences, weightedKl } from './calibration/fit/weighted-kl.js';
export { CALIBRATION_METHODS } from './calibration/methods.js';
export { splitExamples } from './calibration/split-examples.js';
export type { Scorer } from './contract/scorer.js';
export type { Fault } from './errors/supportcal-error.js';
export { SupportCalError } from './errors/supportcal-error.js';
export { binErrors } from './metrics/bins/bin-errors.js';
export { reliabilityBins } from './metrics/bins/reliability-bins.js';
export { ece } from './metrics/ece.js';
export { evaluate } from './metrics/evaluate.js';
export type { MeasuredRows } from './metrics/gather-examples.js';
export { raggedRows } from './numeric/ragged-rows.js';
export { applyTemperature } from './pipeline/artefact/apply-temperature.js';
export type { CalibrationArtefact } from './pipeline/artefact/artefact-schema.js';
export { predictLogits } from './pipeline/artefact/predict-logits.js';
export { calibrateStage } from './pipeline/calibrate-stage.js';
export { compareStage } from './pipeline/compare-stage.js';
export { exportStage } from './pipeline/export-stage.js';
export { importLogits } from './pipeline/import-logits.js';
export { predictQuestions, readArtefact } from './pipeline/predict-stage.js';
export { reportStage } from './pipeline/report-stage.js';
export { runPipeline } from './pipeline/run-pipeline.js';
export { scoreStage } from './pipeline/score-stage.js';
export { validateWorkspace } from './pipeline/validate-workspace.js';
export type { RunOptions } from './pipeline/workspace/run-options.js';
export type { Diagnostics } from './results/diagnostics-schema.js';
export type { Results } from './results/results-schema.js';
export type { RunResult } from './results/run-schema.js';
