export type {
  AskedIngredients,
  ImportedKeyIngredients,
  KeyIngredients,
  ScoredKeyIngredients,
} from './cache/key/entry-key.js';
export type { Manifest } from './cache/key/manifest.js';
export type { OtherRun, WorkNote } from './cache/runs-at-work.js';
export type { ReplyColumns } from './cache/table/reply-columns.js';
export type { ScoreTable } from './cache/table/score-table.js';
export type { SeenColumns } from './cache/table/seen-columns.js';
export type { Aggregator, SampledReplies } from './calibration/answers/aggregate-replies.js';
export type { AnswerInputs } from './calibration/answers/answer-method.js';
export {
  type CalibrationInput,
  calibrateTarget,
  type MethodOutcome,
  type SplitCalibration,
  type TargetCalibration,
} from './calibration/calibrate-target.js';
export type {
  AccuracyEvidence,
  AccuracyMethod,
  CalibrationMethod,
  FixedTemperature,
  LabelledFit,
  UnlabelledSplit,
  WeightingMethod,
} from './calibration/calibration-method.js';
export type { RowGains } from './calibration/fit/pool-views.js';
export type { TeacherAlignment } from './calibration/fit/teacher-alignment.js';
export type {
  FiniteTemperature,
  InfiniteTemperature,
  NoTemperature,
  TemperatureOutcome,
} from './calibration/fit/temperature-outcome.js';
export { klDivergences, weightedKl } from './calibration/fit/weighted-kl.js';
export { CALIBRATION_METHODS } from './calibration/methods.js';
export type { CalibrationSplit, SplitWeights } from './calibration/open-split.js';
export type { AlignmentColumns, PreparedExamples } from './calibration/prepare-examples.js';
export type { ReferenceMean, Selection } from './calibration/references/select-references.js';
export type { Split, SplitInput } from './calibration/split-examples.js';
export { splitExamples } from './calibration/split-examples.js';
export type { SuiteSpec } from './config/models-schema.js';
export type { SuitePlan, TargetPlan } from './config/plan-suite.js';
export type { DEVICES, Device, GpuChoice } from './contract/device.js';
export type { ContentOfFile, ModelContent } from './contract/model-content.js';
export type { Adapter, EndpointPlace, GgufPlace, ModelPlace } from './contract/model-place.js';
export type { ExamplePrompt, ReplyForm, ReplyRequest, RotatedPrompt, TextScore } from './contract/prompt.js';
export type { ModelRow, ParsedReply, ReplyRow, ScoredRow } from './contract/scored-row.js';
export type {
  AnyModelJob,
  ModelFacts,
  ModelJob,
  ModelOutcome,
  Scorer,
  ScoringEvents,
  ScoringJob,
  ScoringSettings,
} from './contract/scorer.js';
export type { EndpointIdentity, EvaluationSettings, GgufIdentity, SourceIdentity } from './contract/source.js';
export type { HasTemperature } from './core/apply-temperature.js';
export { applyTemperature } from './core/apply-temperature.js';
export type { Calibrated, CalibratedDecision } from './core/calibrate-decision.js';
export { calibrateDecision } from './core/calibrate-decision.js';
export type { Prediction } from './core/calibrated-prediction.js';
export type { ChoiceDecision, Decision, NoulDecision, ScoreDecision } from './core/decision-logits.js';
export { decisionLogits } from './core/decision-logits.js';
export { ece } from './core/ece.js';
export type { FitOptions, FittedArtefact, LogitRows } from './core/fit-artefact.js';
export { fitArtefact } from './core/fit-artefact.js';
export { reliability } from './core/reliability.js';
export type { DatasetSpec } from './datasets/example/dataset-spec.js';
export type { Dataset, Example, LeftOutRow } from './datasets/example/example.js';
export type { RowSelection } from './datasets/example/row-selection.js';
export type { LogitUnit } from './datasets/logits/from-unit.js';
export type { Counting, LogSettings } from './datasets/logits/harness/harness.js';
export type { HarnessName } from './datasets/logits/harness/harness-table.js';
export type { HarnessLog } from './datasets/logits/harness/open-harness-log.js';
export type { SourceOverride } from './datasets/source/override-source.js';
export type { ErrorCode, Fault } from './errors/supportcal-error.js';
export { SupportCalError } from './errors/supportcal-error.js';
export type { ByteStream, SourceFile } from './formats/row/source-row.js';
export type { DownloadProgress } from './hub/hub-access.js';
export type { BinErrors } from './metrics/bins/bin-errors.js';
export { binErrors } from './metrics/bins/bin-errors.js';
export type { BinEdges, Binning, EdgeRule } from './metrics/bins/binning.js';
export type { ReliabilityBin } from './metrics/bins/reliability-bin.js';
export { reliabilityBins } from './metrics/bins/reliability-bins.js';
export type { BrierDecomposition } from './metrics/brier-decomposition.js';
export type { Evaluation } from './metrics/evaluate.js';
export { evaluate } from './metrics/evaluate.js';
export type { MeasuredRows } from './metrics/gather-examples.js';
export type { RaggedRows } from './numeric/ragged-rows.js';
export { raggedRows } from './numeric/ragged-rows.js';
export type { CalibrationArtefact } from './pipeline/artefact/artefact-schema.js';
export type { SIGNALS, SignalName } from './pipeline/artefact/drift-schema.js';
export type { FiniteMethod } from './pipeline/artefact/finite-methods.js';
export type { QuestionSignals } from './pipeline/artefact/question-signals.js';
export type { EstimatedWork, StatedSize } from './pipeline/asking/estimated-work.js';
export type { PromptForms } from './pipeline/asking/prompt-forms.js';
export type {
  AlignedRows,
  AnswerScores,
  AskedDataset,
  AskedInputs,
  AskedPrompts,
  DiagnosticsSection,
  ExpectedReplies,
  FinishRows,
  JoinedScores,
  MissingRow,
  RenderedWay,
  RenderInput,
  WayOfAsking,
  WayScores,
} from './pipeline/asking/way-of-asking.js';
export { calibrateStage } from './pipeline/calibrate-stage.js';
export type { ComparedStage } from './pipeline/compare-stage.js';
export { compareStage } from './pipeline/compare-stage.js';
export type { TokenDump } from './pipeline/estimate/dump-tokens.js';
export type { DatasetEstimate } from './pipeline/estimate/estimate-work.js';
export type { InspectionFailure } from './pipeline/estimate/inspect-prompts.js';
export type { ModelEstimate } from './pipeline/estimate/model-estimate.js';
export type { DownloadEstimate, RunEstimate } from './pipeline/estimate/run-estimate.js';
export type { ExportedTarget, ExportOptions, ExportRun } from './pipeline/export-stage.js';
export { exportStage } from './pipeline/export-stage.js';
export type { ImportOptions, ImportSummary } from './pipeline/import-logits.js';
export { importLogits } from './pipeline/import-logits.js';
export type { DatasetScores, ModelScores } from './pipeline/join/dataset-scores.js';
export type { ReadyEntry } from './pipeline/join/planned-entry.js';
export type { AnswerRules } from './pipeline/predict/answer-question.js';
export type { CreateScorerOptions, ModelScorer, PromptToScore } from './pipeline/predict/create-scorer.js';
export { createScorer } from './pipeline/predict/create-scorer.js';
export { type LogitRules, predictLogits } from './pipeline/predict/predict-logits.js';
export type { PredictedRow } from './pipeline/predict/prediction-line.js';
export type { PredictOptions, StreamOptions } from './pipeline/predict-stage.js';
export { predictQuestions, predictStream, readArtefact } from './pipeline/predict-stage.js';
export { reportStage } from './pipeline/report-stage.js';
export { runPipeline } from './pipeline/run-pipeline.js';
export type { ScoreSummary } from './pipeline/score-stage.js';
export { scoreStage } from './pipeline/score-stage.js';
export type { DatasetSummary, ValidateContext, ValidationSummary } from './pipeline/validate-workspace.js';
export { validateWorkspace } from './pipeline/validate-workspace.js';
export type { ExpectedTime, PipelineEvents, RunOverview, ScoringPlan } from './pipeline/workspace/pipeline-events.js';
export type { RunOptions, Shard } from './pipeline/workspace/run-options.js';
export type { LockContext } from './pipeline/write/lock-run-folder.js';
export type { CalibrationRun } from './pipeline/write/write-calibration.js';
export type { ReportRun } from './pipeline/write/write-report-files.js';
export type { ComparedMacro, ComparedRow, RowName, RunComparison } from './report/compare/compare-runs.js';
export type { ComparedCell } from './report/compare/compared-cell.js';
export type { ComparedRun } from './report/compare/comparison-document.js';
export type { InputDifference } from './report/compare/input-differences.js';
export type { Diagnostics } from './results/diagnostics-schema.js';
export type { Results } from './results/results-schema.js';
export type { RunResult } from './results/run-schema.js';
