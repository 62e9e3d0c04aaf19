import path from 'node:path';
import { planOn } from '../config/plan-suite.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { Diagnostics } from '../results/diagnostics-schema.js';
import type { ReportInput } from '../results/report-input.js';
import type { Results } from '../results/results-schema.js';
import { unusedVariants } from './asking/prompt-forms.js';
import { type DatasetCalibration, openDataset } from './calibrate/calibrate-dataset.js';
import { helpersFor, openThreads } from './calibrate/split-threads.js';
import { collectScores } from './collect/collect-scores.js';
import { elicitationReport } from './collect/elicitation-report.js';
import { optionMassWarnings } from './collect/option-mass.js';
import { rotationDifferences, rotationReport } from './collect/rotation-costs.js';
import { type ModelPlan, planScores } from './score/score-plan.js';
import { backendOf, withoutRefresh } from './score-stage.js';
import { openWorkspace } from './workspace/load-workspace.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';
import type { Workspace } from './workspace/workspace.js';
import { buildDiagnostics, disagreementMedians, ofResults } from './write/build-diagnostics.js';
import { buildResults } from './write/build-results.js';
import { buildExamples } from './write/example-texts.js';
import { type RecordedEvents, recordRun } from './write/run-record.js';
import { writeRun } from './write/write-run.js';

export interface CalibrationRun extends ReportInput {
  /** Written files, absolute. */
  readonly files: readonly string[];
}

/** `supportcal calibrate`: results.json from the scores in the cache. Never loads a model. */
export async function calibrateStage(options: RunOptions, given: PipelineEvents): Promise<CalibrationRun> {
  const { events, record } = recordRun(given);
  events.onStage?.('load');
  const workspace = withoutRefresh(await openWorkspace(options, { events }));
  const plans = await planScores(workspace, await backendOf(workspace));
  return calibrateScores(workspace, plans, new Map(), { events, record });
}

/** Calibrates from planned entries; `reasons` says why a model that should have been scored was not. */
export async function calibrateScores(
  workspace: Workspace,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
  { events, record }: RecordedEvents,
): Promise<CalibrationRun> {
  events.onStage?.('calibrate');
  const { plan, datasets } = workspace;
  const { collected, calibrated, models } = await calibrateAll(workspace, plans, reasons);
  const runs = calibrated.flatMap((each) => each.runs);
  const skipped = collected.flatMap((each, i) => [
    ...each.skipped,
    ...calibrated[i]!.skipped.map((target) => ({ dataset: each.dataset, ...target })),
  ]);
  if (runs.length === 0) throw nothingToCalibrate(skipped);
  const rotations = rotationReport(collected, datasets);
  const elicitation = elicitationReport(collected, plan);
  const warnings = [
    ...unusedVariants(
      plan.models,
      datasets.map((each) => each.spec),
    ),
    ...collected.flatMap((each, i) => [...calibrated[i]!.warnings, ...each.warnings]),
    ...optionMassWarnings(models),
    ...rotationDifferences(rotations),
  ];
  const undiagnosed = buildResults(workspace, plans, runs, {
    skipped,
    warnings,
    intervals: calibrated.flatMap((each) => each.intervals),
    comparisons: calibrated.flatMap((each) => each.comparisons),
    diagnostics: {
      disagreementMedians: disagreementMedians(calibrated.flatMap((each) => each.diagnostics.disagreement)),
      weightBySign: calibrated.flatMap((each) => each.diagnostics.weightBySign ?? []),
    },
    resamples: Object.fromEntries(collected.map(({ dataset }, i) => [dataset, calibrated[i]!.resamples])),
  });
  const diagnostics = buildDiagnostics(plan, undiagnosed, models, calibrated, { ...rotations, ...elicitation });
  const results = { ...undiagnosed, diagnostics: ofResults(diagnostics) };
  const examples = buildExamples(
    plan.seeds[0]!,
    runs,
    collected.map(({ scores }, i) => ({ dataset: datasets[i]!, ids: scores.ids, picks: calibrated[i]!.examples })),
  );
  const splits = calibrated.map((each) => each.splits);
  const { files, manifest } = await writeRun(path.resolve(workspace.options.out), {
    ...{ results, diagnostics, examples, splits, workspace, plans, record },
  });
  return { results, diagnostics, examples, manifest, files };
}

/**
 * One data set after the other, with helping threads where they pay, which begin while scores are joined; models are
 * described when those have work.
 */
async function calibrateAll(
  { plan, datasets, options }: Workspace,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
) {
  const threads = openThreads(helpersFor(plan, plannedSizes(datasets, plans), options.threads));
  try {
    const collected = datasets.map((each) => collectScores(each, plans, reasons, planOn(plan, each.spec.id)));
    let described: Diagnostics['models'] | undefined;
    const describe = () => {
      described ??= collected.flatMap((each) => each.describe());
      return described;
    };
    const opened = collected.map(({ dataset, scores, rotations, elicited }) =>
      openDataset(planOn(plan, dataset), scores, rotations, elicited, threads),
    );
    const calibrated: DatasetCalibration[] = [];
    for (const finish of opened) calibrated.push(await finish(describe));
    return { collected, calibrated, models: describe() };
  } finally {
    await threads.close();
  }
}

/** Rows of every data set that the cache has, before they are joined. */
function plannedSizes(datasets: Workspace['datasets'], plans: readonly ModelPlan[]) {
  return datasets.map(({ spec }) => {
    const rows = plans.map(({ entries }) => {
      const entry = entries.get(spec.id);
      return entry?.kind === 'ready' ? entry.table.ids.length : 0;
    });
    return { dataset: spec.id, examples: Math.max(0, ...rows) };
  });
}

function nothingToCalibrate(skipped: Results['skipped']): SupportCalError {
  const reasons = whyByModel(skipped);
  const more = reasons.length > 30 ? [`and ${reasons.length - 30} more`] : [];
  return new SupportCalError('missing-scores', [
    { message: 'no target of the suite can be calibrated:' },
    ...[...reasons.slice(0, 30), ...more].map((message) => ({ message })),
  ]);
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
