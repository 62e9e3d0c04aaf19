import path from 'node:path';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { ReportInput } from '../../results/report-input.js';
import type { Results } from '../../results/results-schema.js';
import { verdictsOf } from '../../results/verdict/verdicts-of.js';
import { unusedVariants } from '../asking/prompt-forms.js';
import { type CalibratedSuite, type CalibrationContext, calibrateSuite } from '../calibrate/calibrate-suite.js';
import { askedDiagnostics } from '../collect/asked-diagnostics.js';
import type { CollectedScores } from '../collect/collect-scores.js';
import { optionMassWarnings } from '../collect/option-mass.js';
import type { ModelPlan } from '../score/score-plan.js';
import type { Workspace } from '../workspace/workspace.js';
import { answersAhead } from './answers-ahead.js';
import { buildDiagnostics, disagreementMedians, ofResults } from './build-diagnostics.js';
import { buildResults } from './build-results.js';
import { buildExamples } from './example-texts.js';
import type { RecordedEvents } from './run-record.js';
import { writeRun } from './write-run.js';

export interface CalibrationRun extends ReportInput {
  /** Written files, absolute. */
  readonly files: readonly string[];
}

/**
 * Calibrates from planned entries and writes the run; `reasons` says why a model that should have been scored was not.
 */
export async function writeCalibration(
  workspace: Workspace,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
  { events, record, signal, early }: RecordedEvents & CalibrationContext,
): Promise<CalibrationRun> {
  events.onStage?.('calibrate');
  const answers = answersAhead(workspace);
  const meanwhile = (collected: readonly CollectedScores[]) => void answers(collected);
  const suite = await calibrateSuite(workspace, plans, reasons, { onLog: events.onLog, signal, early, meanwhile });
  const documents = documentsOf(workspace, plans, suite, answers);
  const splits = suite.datasets.map(({ calibration }) => calibration.splits);
  const folder = path.resolve(workspace.options.out);
  const { files, manifest } = await writeRun(folder, { ...documents, splits, workspace, plans, record });
  await suite.kept;
  return { ...documents, manifest, files };
}

/** The documents of results.json, diagnostics.json, examples.json and answers.json. */
function documentsOf(
  workspace: Workspace,
  plans: readonly ModelPlan[],
  calibrated: CalibratedSuite,
  answersOf: ReturnType<typeof answersAhead>,
) {
  const { suite, datasets } = workspace;
  const calibrations = calibrated.datasets.map(({ calibration }) => calibration);
  const collected = calibrated.datasets.map((each) => each.collected);
  const runs = calibrations.flatMap((each) => each.runs);
  const skipped = skippedOf(calibrated);
  if (runs.length === 0) throw nothingToCalibrate(skipped);
  const asked = askedDiagnostics(workspace, collected);
  const specs = datasets.map((each) => each.spec);
  const undiagnosed = buildResults(workspace, plans, runs, {
    skipped,
    warnings: [
      ...unusedVariants(suite.models, specs),
      ...calibrated.datasets.flatMap((each) => [...each.calibration.warnings, ...each.collected.warnings]),
      ...optionMassWarnings(calibrated.models),
      ...asked.warnings,
    ],
    health: collected.flatMap((each) => each.health()),
    cells: calibrations.flatMap((each) => each.cells),
    comparisons: calibrations.flatMap((each) => each.comparisons),
    thresholds: calibrations.flatMap((each) => each.thresholds),
    untold: calibrations.flatMap((each) => each.untold),
    diagnostics: {
      disagreementMedians: disagreementMedians(calibrations.flatMap((each) => each.diagnostics.disagreement)),
      weightBySign: calibrations.flatMap((each) => each.diagnostics.weightBySign ?? []),
    },
    resamples: Object.fromEntries(
      calibrated.datasets.map((each) => [each.collected.dataset, each.calibration.resamples]),
    ),
  });
  const diagnostics = buildDiagnostics(suite, undiagnosed, calibrated, asked.diagnostics);
  const diagnosed = { ...undiagnosed, diagnostics: ofResults(diagnostics) };
  const results = { ...diagnosed, verdicts: verdictsOf(diagnosed) };
  const answers = answersOf(
    collected,
    calibrations.map((each) => each.runs),
  );
  return { results, diagnostics, examples: buildExamples(suite.seeds, runs, calibrated.datasets), answers };
}

function skippedOf({ datasets }: CalibratedSuite): Results['skipped'] {
  return datasets.flatMap(({ collected, calibration }) => [
    ...collected.skipped,
    ...calibration.skipped.map((target) => ({ dataset: collected.dataset, ...target })),
  ]);
}

function nothingToCalibrate(skipped: Results['skipped']): SupportCalError {
  const reasons = whyByModel(skipped);
  const more = reasons.length > 30 ? [`and ${reasons.length - 30} more`] : [];
  const lines = ['no target of the suite can be calibrated:', ...reasons.slice(0, 30), ...more];
  return new SupportCalError(
    'missing-scores',
    lines.map((message) => ({ message })),
  );
}

/** A model that is not here lacks every way of being asked, on every data set: its first reason is said, once. */
function whyByModel(skipped: Results['skipped']): string[] {
  const found: { model: string; reason: string; datasets: Set<string> }[] = [];
  for (const { model, dataset, reason } of skipped) {
    const known = found.filter((each) => each.model === model);
    if (known.some(({ datasets }) => datasets.has(dataset))) continue;
    const same = known.find((each) => each.reason === reason);
    if (same === undefined) found.push({ model, reason, datasets: new Set([dataset]) });
    else same.datasets.add(dataset);
  }
  return found.map(({ model, reason, datasets }) => `${model} on ${[...datasets].join(', ')}: ${reason}`);
}
