import path from 'node:path';
import { SupportCalError } from '../errors/supportcal-error.js';
import { BIN_RULE } from '../metrics/bin-index.js';
import { SHUFFLE_GENERATOR } from '../numeric/shuffle.js';
import type { Diagnostics, Results } from '../report/results-schema.js';
import { summariseRuns } from '../report/summarise-runs.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../scoring/native-versions.js';
import { calibrateDataset, type DatasetCalibration } from './calibrate-dataset.js';
import { joinScores } from './dataset-scores.js';
import { describeModels } from './describe-models.js';
import { leftOutNotes } from './left-out-notes.js';
import { openWorkspace, type Workspace } from './load-workspace.js';
import { lowOptionMass, optionMassWarnings, withoutModels } from './option-mass.js';
import type { PipelineEvents } from './pipeline-events.js';
import { unusedVariants } from './prompt-forms.js';
import type { RunOptions } from './run-options.js';
import { type ModelPlan, planScores } from './score-plan.js';
import { backendOf, withoutRefresh } from './score-stage.js';
import { toolVersion } from './tool-version.js';
import { writeRun } from './write-run.js';

export interface CalibrationRun {
  readonly results: Results;
  readonly diagnostics: Diagnostics;
  /** Written files, absolute. */
  readonly files: readonly string[];
}

/** `supportcal calibrate`: results.json from the scores in the cache. Never loads a model. */
export async function calibrateStage(options: RunOptions, events: PipelineEvents): Promise<CalibrationRun> {
  events.onStage?.('load');
  const workspace = withoutRefresh(await openWorkspace(options));
  const plans = await planScores(workspace, await backendOf(workspace));
  return calibrateScores(workspace, plans, new Map(), events);
}

/** Calibrates from planned entries; `reasons` says why a model that should have been scored was not. */
export async function calibrateScores(
  workspace: Workspace,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
  events: PipelineEvents,
): Promise<CalibrationRun> {
  events.onStage?.('calibrate');
  const skipped: Results['skipped'] = [];
  const models: Diagnostics['models'] = [];
  const calibrations = new Map<string, DatasetCalibration>();
  const warnings = unusedVariants(
    workspace.plan.models,
    workspace.datasets.map((each) => each.spec),
  );
  for (const { spec, content } of workspace.datasets) {
    const tables = new Map(
      plans.flatMap((plan) => {
        const entry = plan.entries.get(spec.id)!;
        if (entry.kind === 'ready') return [[plan.model.id, entry.table] as const];
        skipped.push({
          dataset: spec.id,
          model: plan.model.id,
          example: null,
          reason: whyMissing(entry, reasons.get(plan.model.id)),
        });
        return [];
      }),
    );
    const scores = joinScores(spec.id, content?.dataset ?? null, tables);
    for (const each of scores.models.values()) {
      skipped.push(
        ...each.failures.map(({ id, reason }) => ({ dataset: spec.id, model: each.model, example: id, reason })),
      );
    }
    const described = describeModels(scores, workspace.plan.bins, spec.yaml.scoring?.mode !== 'text');
    models.push(...described);
    const low = lowOptionMass(spec.yaml.scoring, described, importedModels(plans, spec.id));
    skipped.push(...[...low].map(([model, reason]) => ({ dataset: spec.id, model, example: null, reason })));
    const calibration = calibrateDataset(workspace.plan, withoutModels(scores, low));
    calibrations.set(spec.id, calibration);
    skipped.push(...calibration.skipped.map((each) => ({ dataset: spec.id, ...each })));
    warnings.push(
      ...calibration.warnings,
      ...(content?.dataset.warnings ?? []).map((warning) => `${spec.id}: ${warning}`),
    );
    warnings.push(...leftOutNotes(spec.id, content?.dataset.leftOut ?? []));
  }
  const runs = [...calibrations.values()].flatMap((calibration) => calibration.runs);
  if (runs.length === 0) throw nothingToCalibrate(skipped);
  const results: Results = {
    schemaVersion: 1,
    suite: workspace.plan.name,
    createdAt: new Date().toISOString(),
    status: skipped.length > 0 ? 'partial' : 'complete',
    tool: {
      version: toolVersion(),
      nodeLlamaCpp: nodeLlamaCppVersion(),
      llamaCppRelease: llamaCppRelease(),
      gpu: backendsUsed(plans),
    },
    protocol: {
      seeds: [...workspace.plan.seeds],
      calibrationFraction: workspace.plan.calibrationFraction,
      splitGenerator: SHUFFLE_GENERATOR,
      bins: workspace.plan.bins,
      eceRule: BIN_RULE,
      methods: [...workspace.plan.methods],
    },
    runs,
    ...summariseRuns(runs),
    skipped,
    warnings: [...warnings, ...optionMassWarnings(models)],
  };
  const diagnostics: Diagnostics = {
    schemaVersion: 1,
    reliability: [...calibrations.values()].flatMap((calibration) => calibration.reliability),
    models,
  };
  const splits = Object.fromEntries([...calibrations].map(([dataset, calibration]) => [dataset, calibration.splits]));
  const files = await writeRun(path.resolve(workspace.options.out), { results, diagnostics, splits, workspace, plans });
  return { results, diagnostics, files };
}

function importedModels(plans: readonly ModelPlan[], dataset: string): Set<string> {
  const imported = plans.filter(({ entries }) => {
    const entry = entries.get(dataset);
    return entry?.kind === 'ready' && entry.imported;
  });
  return new Set(imported.map(({ model }) => model.id));
}

function whyMissing(
  entry: Exclude<ReturnType<ModelPlan['entries']['get']>, undefined>,
  scoringReason: string | undefined,
): string {
  if (entry.kind === 'unavailable') return entry.reason;
  return scoringReason ?? 'no scores in the cache; run `supportcal score` or `supportcal pipeline`';
}

function nothingToCalibrate(skipped: Results['skipped']): SupportCalError {
  const reasons = [...new Set(skipped.map((each) => `${each.model} on ${each.dataset}: ${each.reason}`))].slice(0, 30);
  return new SupportCalError('missing-scores', [
    { message: 'no target of the suite can be calibrated:' },
    ...reasons.map((message) => ({ message })),
  ]);
}

/** `cpu`, `cuda`, ..., several joined by a comma, or `none` when every score was imported. */
function backendsUsed(plans: readonly ModelPlan[]): string {
  const backends = plans.flatMap((plan) =>
    [...plan.entries.values()].flatMap((entry) =>
      entry.kind === 'ready' && entry.manifest.key.kind === 'scored' ? [entry.manifest.key.backend] : [],
    ),
  );
  return [...new Set(backends)].sort().join(', ') || 'none';
}
