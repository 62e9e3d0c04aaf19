import path from 'node:path';
import { type CalibrationInput, calibrateTarget, type TargetCalibration } from '../calibration/calibrate-target.js';
import { fittable } from '../calibration/certain-rows.js';
import { planOn, type SuitePlan, type TargetPlan } from '../config/plan-suite.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { refuseLinks } from '../files/refuse-links.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { writeStreamAtomic } from '../files/write-stream-atomic.js';
import { fileName } from '../report/text/file-names.js';
import { noTemperatureText } from '../report/text/no-temperature-text.js';
import type { CalibrationArtefact } from './artefact/artefact-schema.js';
import { buildArtefact, type FittedTarget } from './artefact/build-artefact.js';
import { type ExportedMethod, exportedMethod, type MethodChoice } from './artefact/export-method.js';
import { exportRows } from './artefact/export-rows.js';
import { type FiniteMethod, finiteMethods } from './artefact/finite-methods.js';
import { stringifyArtefact } from './artefact/parse-artefact.js';
import { refuseForeign } from './artefact/refuse-foreign.js';
import { methodOfVerdict, verdictSuite, verdictsByTarget } from './artefact/verdict-method.js';
import { plain } from './asking/plain.js';
import { calibrateDataset } from './calibrate/calibrate-dataset.js';
import { type CollectedScores, collectScores } from './collect/collect-scores.js';
import { type AlignedTarget, alignTarget } from './join/align-target.js';
import { deviceOf, withoutRefresh } from './score/open-for-scoring.js';
import { planScores } from './score/score-plan.js';
import { loadWorkspace } from './workspace/load-workspace.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';
import type { Workspace } from './workspace/workspace.js';

export interface ExportOptions extends RunOptions, MethodChoice {
  /** json: the artefact; csv: every row with what the temperature makes of it. */
  readonly format: 'json' | 'csv';
  /** A file for the one artefact there is, in place of a file each in `<out>/calibration`. */
  readonly file?: string;
}

export interface ExportedTarget {
  readonly file: string;
  readonly artefact: CalibrationArtefact;
  /** What to export in place of an infinite temperature, which says nothing of a question; absent: it is finite. */
  readonly instead?: readonly FiniteMethod[];
}

export interface ExportRun {
  readonly exported: readonly ExportedTarget[];
  /** Targets without a temperature. */
  readonly failed: ReadonlyArray<{ readonly dataset: string; readonly target: string; readonly reason: string }>;
}

/**
 * `supportcal export`: one artefact per data set and target, with the temperature fitted on all their rows in the
 * cache. Labels are not needed; where there are some, the ECE of the method on the suite's splits goes along. Loads no
 * model.
 *
 * @throws SupportCalError as `calibrateStage`; missing-scores when no target has a temperature; usage for the method,
 *   or when one file is to take several artefacts
 */
export async function exportStage(options: ExportOptions, events: PipelineEvents): Promise<ExportRun> {
  events.onStage?.('load');
  const loaded = withoutRefresh(await loadWorkspace(options, { events }));
  const named = namedMethod(loaded.suite, options);
  const suite = named === null ? verdictSuite(loaded.suite) : narrowed(loaded.suite, named);
  // Nothing but plain scores is looked for, whatever other methods of the suite need.
  const workspace: Workspace = { ...loaded, suite, ways: [plain] };
  if (options.file !== undefined) {
    refuseSeveral(suite, options.file);
    await refuseForeign(options.file);
  } else await refuseLinks(path.resolve(options.out), ['calibration']);
  const plans = await planScores(workspace, await deviceOf(workspace));
  const exported: ExportedTarget[] = [];
  const failed: ExportRun['failed'][number][] = [];
  for (const dataset of workspace.datasets) {
    const collected = collectScores(workspace, dataset, plans, new Map());
    const calibration = await calibrateDataset({
      suite: planOn(suite, dataset.spec.id),
      scores: collected.scores,
      asked: [],
    });
    const verdicts = verdictsByTarget(calibration, collected);
    for (const target of suite.targetsOf(dataset.spec.id)) {
      const verdict = verdicts.get(target.target.id);
      const method = named ?? (verdict && methodOfVerdict(suite, verdict)) ?? anyMethod(suite);
      const fitted = fitTarget(target, collected, method);
      if ('reason' in fitted) {
        failed.push({ dataset: dataset.spec.id, target: target.target.id, reason: fitted.reason });
        continue;
      }
      const artefact = await buildArtefact(workspace, { dataset, plans, calibration }, { ...fitted, verdict });
      const file = fileOf(options, artefact);
      if (options.file === undefined) await refuseLinks(path.dirname(file), [path.basename(file)]);
      if (options.format === 'json') await writeFileAtomic(file, stringifyArtefact(artefact));
      else await writePieces(file, exportRows(dataset, collected, fitted));
      for (const note of fitNotes(fitted, collected)) events.onLog?.('warn', note);
      const infinite = artefact.temperatureKind === 'infinite';
      exported.push({ file, artefact, ...(infinite && { instead: finiteMethods(fitted.aligned, method) }) });
    }
  }
  if (exported.length === 0) throw nothingToExport(failed);
  return { exported, failed };
}

/** null: none is named, and the verdicts choose. */
function namedMethod(suite: SuitePlan, { method, combinationSize, allowLabels }: MethodChoice): ExportedMethod | null {
  const rest = { ...(combinationSize !== undefined && { combinationSize }), ...(allowLabels && { allowLabels }) };
  if (method !== undefined) return exportedMethod(suite, { method, ...rest });
  const [flag] = Object.keys(rest).map((name) => (name === 'allowLabels' ? '--allow-labels' : '--combination-size'));
  if (flag === undefined) return null;
  throw new SupportCalError('usage', `${flag} needs a --method that it is for; without one the verdict chooses`);
}

/** A method to say with why a target has no temperature, where it has no verdict. */
function anyMethod(suite: SuitePlan): ExportedMethod {
  return exportedMethod(suite, { method: 'auto' });
}

/** The plan with the one method, the model as it is and the fit on labels, to compare it with. */
function narrowed(suite: SuitePlan, { method, sizeOn }: ExportedMethod): SuitePlan {
  const methods = [...new Set(['vanilla', method.name, 'oracle-ts'])];
  return {
    ...suite,
    methods,
    methodsOf: () => methods,
    combinationMethods: method.needs === 'references' ? [method.name] : [],
    combinationSizes: (dataset) => [sizeOn(dataset) ?? []].flat(),
    diagnostics: 'basic',
    listCombinations: false,
  };
}

/** The method on all rows of a target, or why there is no temperature. */
function fitTarget(
  plan: TargetPlan,
  { scores, skipped }: CollectedScores,
  { method, table, sizeOn }: ExportedMethod,
): FittedTarget | { readonly reason: string } {
  const aligned = alignTarget(plan, scores);
  if ('reason' in aligned) {
    const models = [plan.target.id, plan.ownBase.id];
    const why = skipped.find(({ model, example }) => example === null && models.includes(model));
    return { reason: why === undefined ? aligned.reason : `${why.model}: ${why.reason}` };
  }
  const size = sizeOn(scores.dataset);
  if (size !== null && size > aligned.references.length)
    return { reason: `M = ${size}, but only ${aligned.references.length} references have scores` };
  const input: CalibrationInput = {
    ...aligned,
    methods: [method.name],
    combinationSizes: size === null ? [] : [size],
    methodTable: table,
  };
  const calibration = calibrateTarget(input);
  const all = Int32Array.from({ length: aligned.targetLogits.rowCount }, (_, n) => n);
  const fitted = calibration.fit(all);
  const [only] = fitted.outcomes;
  if (only === undefined) throw new SupportCalError('internal', `method "${method.name}" has no outcome`);
  const { outcome, ...rest } = only;
  if (outcome.kind === 'none') return { reason: noTemperatureText(outcome.reason) };
  const margins = () => marginsOf(aligned, calibration);
  return { plan, aligned, fitted, outcome: { ...rest, outcome }, usesLabels: method.needs === 'labels', margins };
}

/** What the fit went without. */
function fitNotes({ plan, aligned }: FittedTarget, { scores }: CollectedScores): string[] {
  const [used, all] = [aligned.targetLogits.rowCount, scores.ids.length];
  const left = `${all - used} of ${all} rows lack usable scores of it, its own base or a reference, and are left out`;
  return [...aligned.warnings, ...(used < all ? [`${scores.dataset}, ${plan.target.id}: ${left}`] : [])];
}

/** Boundary margin m_n of every row; NaN where an option has the probability 0. */
function marginsOf({ certain, targetLogits }: AlignedTarget, calibration: TargetCalibration): Float64Array {
  const all = Int32Array.from({ length: targetLogits.rowCount }, (_, n) => n);
  const found = calibration.open(all).margins;
  const margins = new Float64Array(all.length).fill(Number.NaN);
  for (const [at, n] of fittable(all, certain).entries()) margins[n] = found[at] ?? Number.NaN;
  return margins;
}

async function writePieces(file: string, pieces: Iterable<string>): Promise<void> {
  const stream = await writeStreamAtomic(file);
  try {
    for (const piece of pieces) await stream.write(piece);
    await stream.commit();
  } catch (error) {
    await stream.abort();
    throw error;
  }
}

function fileOf({ out, file, format }: ExportOptions, { target, dataset, method }: CalibrationArtefact): string {
  if (file !== undefined) return path.resolve(file);
  const name = [
    target.id,
    dataset.id,
    method.name,
    ...(method.combinationSize === null ? [] : [method.combinationSize]),
  ];
  return path.resolve(out, 'calibration', `${name.map((part) => fileName(String(part))).join('--')}.${format}`);
}

function refuseSeveral({ name, datasets, targetsOf }: SuitePlan, file: string): void {
  const count = datasets.reduce((sum, dataset) => sum + targetsOf(dataset).length, 0);
  if (count <= 1) return;
  const message =
    `one file cannot take ${count} artefacts, which suite "${name}" has of its targets and data sets; ` +
    'name one of each with --target and --dataset, or a folder with --out';
  throw new SupportCalError('usage', { file, message });
}

function nothingToExport(failed: ExportRun['failed']): SupportCalError {
  return new SupportCalError('missing-scores', [
    { message: 'no target has a temperature to export:' },
    ...failed.slice(0, 30).map(({ dataset, target, reason }) => ({ message: `${target} on ${dataset}: ${reason}` })),
  ]);
}
