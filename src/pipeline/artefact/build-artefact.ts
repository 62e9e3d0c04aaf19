import type { MethodOutcome, SplitCalibration } from '../../calibration/calibrate-target.js';
import type { FiniteTemperature, InfiniteTemperature } from '../../calibration/fit/temperature-outcome.js';
import type { TargetPlan } from '../../config/plan-suite.js';
import { shownPlace } from '../../config/source-kind.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import { sha256OfFile } from '../../files/sha256-of-file.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../library/native-versions.js';
import { type Binning, binRule } from '../../metrics/bins/binning.js';
import { evaluate } from '../../metrics/evaluate.js';
import { SHUFFLE_GENERATOR } from '../../numeric/random/shuffle.js';
import type { RunResult } from '../../results/run-schema.js';
import { type SummaryRow, summariseRuns } from '../../results/summarise-runs.js';
import { THRESHOLD_LEVEL, THRESHOLD_RULE } from '../../results/threshold-schema.js';
import type { Verdict } from '../../results/verdict-schema.js';
import type { DatasetCalibration } from '../calibrate/calibrate-dataset.js';
import { thresholdPoints } from '../diagnostics/threshold-points.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { ReadyEntry } from '../join/planned-entry.js';
import { type ModelPlan, plainEntries } from '../score/score-plan.js';
import { promptsFor } from '../workspace/load-workspace.js';
import { promptSettings } from '../workspace/prompt-settings.js';
import { toolVersion } from '../workspace/tool-version.js';
import type { Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import type { ArtefactModel, CalibrationArtefact } from './artefact-schema.js';
import { askingOf } from './asking-of.js';
import { driftReference } from './drift-reference.js';
import { expectedRange } from './expected-range.js';
import { longestOf, optionTokens } from './option-tokens.js';

/** One target with its temperature, fitted on all rows that it has. */
export interface FittedTarget {
  readonly plan: TargetPlan;
  readonly aligned: AlignedTarget;
  readonly fitted: SplitCalibration;
  readonly outcome: MethodOutcome & { readonly outcome: FiniteTemperature | InfiniteTemperature };
  readonly usesLabels: boolean;
  /** Boundary margins m_n of the aligned rows, Eq. (margin). */
  readonly margins: () => Float64Array;
  /** What was made of the suite's splits; absent where nothing could be. */
  readonly verdict?: Verdict | undefined;
}

const FIT_RULE =
  'on every row with usable logits of the target, its own base and the pool, labelled or not: the fit needs no ' +
  'labels, so no row has to be held back';
const MOVED_RULE =
  'on every row with usable logits of the target, its own base and the pool, moved towards the fit on the labels there ' +
  'are as far as their number allows';
const LABEL_RULE = 'on every labelled row: this fit reads labels';
const ECE_RULE =
  'mean over the seeds of temperatures fitted on the calibration split (perSeed), measured on the other rows; ' +
  'the temperature of this file is fitted on more rows and on these too, so it is not measured itself';

const UNLABELLED_ECE = 'on every labelled row of the fit, which has not seen the labels';
const LABELLED_ECE = 'on the rows whose labels it is fitted to: lower than on new ones';

/** What a data set brings into the artefact of each of its targets. */
export interface FittedDataset {
  readonly dataset: WorkspaceDataset;
  readonly plans: readonly ModelPlan[];
  /** How the method and `vanilla` did on the splits of the suite. */
  readonly calibration: DatasetCalibration;
}

/** The artefact of one target: its temperature, what it was fitted on, and how well the method does on the splits. */
export async function buildArtefact(
  workspace: Workspace,
  { dataset, plans, calibration }: FittedDataset,
  target: FittedTarget,
): Promise<CalibrationArtefact> {
  const { spec, content } = dataset;
  const { target: model, ownBase } = target.plan;
  const { outcome } = target.outcome;
  const finite = outcome.kind === 'finite';
  const of = (id: string) => artefactModel(id, spec.id, plans);
  const runs = calibration.runs.filter((run) => run.target === model.id);
  const perSeed = runs.filter((run) => run.method === target.outcome.method);
  return {
    schemaVersion: 1,
    kind: 'supportcal-calibration',
    createdAt: new Date().toISOString(),
    target: {
      ...of(model.id),
      file: shownPlace(model),
      lora: (plans.find((plan) => plan.model.id === model.id)?.found?.lora ?? []).map(({ sha256, scale }) => ({
        sha256,
        scale,
      })),
    },
    temperatureKind: finite ? 'finite' : 'infinite',
    temperature: finite ? outcome.temperature : null,
    inverseTemperature: finite ? outcome.inverseTemperature : 0,
    use: finite
      ? 'probabilities = softmax(option logits / temperature); the prediction is the option with the largest logit'
      : 'every option has the probability 1 / K: the fit wants an infinite temperature; the prediction is the ' +
        'option with the largest logit',
    method: {
      name: target.outcome.method,
      combinationSize: target.outcome.combinationSize,
      usesLabels: target.usesLabels,
      ownBase: of(ownBase.id),
      references: target.outcome.selectedReferences?.map(of) ?? null,
      pool: target.aligned.references.map(({ id }) => of(id)),
    },
    dataset: {
      id: spec.id,
      title: spec.yaml.title ?? spec.id,
      yamlSha256: spec.sha256 ?? (await sha256OfFile(spec.file)),
      contentHash: content?.dataset.hash ?? null,
    },
    prompt: content === null ? null : promptSettings(spec, content.dataset.shots, model),
    optionLabels: content === null ? null : optionLabels(promptsFor(spec, content, model).prompts),
    asking: await asking(dataset, plans, target.plan),
    fit: {
      ...fitOf(target),
      disagreementRate: target.fitted.disagreementCount / target.fitted.calibrationCount,
      weightedBoundaryMargin: outcome.weightedBoundaryMargin,
      perSeed: perSeed.map(({ seed, temperatureKind, temperature, calibrationCount, selectedReferences }) => ({
        seed,
        temperatureKind,
        temperature,
        calibrationCount,
        references: selectedReferences,
      })),
    },
    expected: {
      temperature: temperatureRange(perSeed),
      ...expectedRange(target.aligned.targetLogits, finite ? outcome.inverseTemperature : 0),
    },
    verdict: verdictOf(target),
    ece: eceEstimate(runs, calibration, target, workspace.suite.binning),
    thresholds: thresholdsOf(target),
    drift: driftReference(target.aligned, calibration.splits.ids, readyEntry(plans, model.id, spec.id)),
    provenance: provenance(workspace, spec.id, plans, target),
  };
}

function artefactModel(id: string, dataset: string, plans: readonly ModelPlan[]): ArtefactModel {
  const plan = plans.find((each) => each.model.id === id);
  const entry = plan && plainEntries(plan).get(dataset);
  const imported = entry?.kind === 'ready' && entry.imported;
  const { sourceHash = null } = imported ? (entry.manifest.facts as { sourceHash?: string }) : {};
  return { id, sha256: imported ? null : (plan?.found?.sha256 ?? null), importedFrom: sourceHash };
}

/** What the temperature was fitted on. */
function fitOf({ usesLabels, aligned, fitted, outcome }: FittedTarget) {
  if (!usesLabels) return { rule: FIT_RULE, rows: fitted.calibrationCount };
  // A fit that begins without labels says what accuracy it took the target to have.
  if (outcome.estimatedAccuracy !== null) return { rule: MOVED_RULE, rows: fitted.calibrationCount };
  return { rule: LABEL_RULE, rows: labelledRows(aligned) };
}

/** The verdict, where it is on the method of the file. */
function verdictOf({ verdict, outcome }: FittedTarget): CalibrationArtefact['verdict'] {
  if (verdict === undefined || verdict.kind === 'none') return null;
  const taken = verdict.use ?? verdict.alike[0];
  if (taken?.method !== outcome.method) return null;
  const { kind, sentence, chosenBy } = verdict;
  return { kind, sentence, chosenBy };
}

function labelledRows({ labels }: AlignedTarget): number {
  return labels.reduce((count, label) => count + (label === -1 ? 0 : 1), 0);
}

/** Labels of the row with the most options; null where texts are scored. */
function optionLabels(prompts: readonly ExamplePrompt[]): string[] | null {
  const longest = longestOf(prompts);
  return longest?.mode === 'letter' ? [...longest.continuations] : null;
}

/** How new questions are read and put; null: the rows of the data set came with imports. */
async function asking(dataset: WorkspaceDataset, plans: readonly ModelPlan[], { target: model }: TargetPlan) {
  const { spec, content } = dataset;
  const plan = plans.find((each) => each.model.id === model.id);
  if (content === null || plan === undefined) return null;
  const tokens = await optionTokens(plan, promptsFor(spec, content, model).prompts);
  return askingOf({ dataset, model, entry: readyEntry(plans, model.id, spec.id), optionTokens: tokens });
}

/** The plain scores of a model on a data set; null: there are none. */
function readyEntry(plans: readonly ModelPlan[], model: string, dataset: string): ReadyEntry | null {
  const plan = plans.find((each) => each.model.id === model);
  const entry = plan && plainEntries(plan).get(dataset);
  return entry?.kind === 'ready' ? entry : null;
}

function temperatureRange(perSeed: readonly RunResult[]): CalibrationArtefact['expected']['temperature'] {
  const finite = perSeed.flatMap(({ temperature }) => (temperature === null ? [] : [temperature]));
  return finite.length === 0 ? null : { low: Math.min(...finite), high: Math.max(...finite) };
}

function eceEstimate(
  runs: readonly RunResult[],
  { cells }: DatasetCalibration,
  target: FittedTarget,
  binning: Binning,
): CalibrationArtefact['ece'] {
  const { method } = target.outcome;
  const { summary } = summariseRuns(runs, cells);
  const of = (name: string) => summary.find((row) => row.method === name);
  const own = of(method);
  const labelled = runs.filter((run) => run.method === method && run.ece !== null);
  if (own === undefined || labelled.length === 0) return null;
  return {
    rule: ECE_RULE,
    seeds: own.seeds,
    labelledCount: Math.min(...labelled.map((run) => run.labelledCount)),
    method: eceFields(own),
    vanilla: eceFields(of('vanilla')),
    exported: exportedEce(target, binning),
  };
}

/** The very temperature of the artefact on every labelled row. */
function exportedEce({ aligned, outcome: { outcome }, usesLabels }: FittedTarget, binning: Binning) {
  const { targetLogits: logits, labels } = aligned;
  const indexes = Int32Array.from({ length: labels.length }, (_, n) => n);
  const beta = outcome.kind === 'finite' ? outcome.inverseTemperature : 0;
  const found = evaluate({ logits, indexes, labels }, beta, binning);
  if (found === null) return null;
  return { rule: usesLabels ? LABELLED_ECE : UNLABELLED_ECE, pp: 100 * found.ece, rows: found.count };
}

/** Thresholds of the temperature of the artefact, and of the model as it is, on every row of the fit. */
function thresholdsOf({ aligned, outcome: { outcome }, usesLabels }: FittedTarget): CalibrationArtefact['thresholds'] {
  const { targetLogits, labels } = aligned;
  const rows = { targetLogits, labels, indexes: Int32Array.from({ length: labels.length }, (_, n) => n) };
  const own = thresholdPoints(rows, outcome.kind === 'finite' ? outcome.inverseTemperature : 0);
  const on = usesLabels ? '; on the labels that the temperature is fitted to, which makes them a little too good' : '';
  return {
    rule: THRESHOLD_RULE + on,
    level: THRESHOLD_LEVEL,
    labelled: own.labelled,
    examples: labels.length,
    points: own.points,
    vanilla: thresholdPoints(rows, 1).points,
  };
}

function eceFields(row: SummaryRow | undefined) {
  return {
    meanPp: row?.eceMeanPp ?? null,
    sePp: row?.eceSePp ?? null,
    lowPp: row?.eceLowPp ?? null,
    highPp: row?.eceHighPp ?? null,
  };
}

function provenance(
  { suite, options }: Workspace,
  dataset: string,
  plans: readonly ModelPlan[],
  { plan: { target, ownBase }, aligned }: FittedTarget,
): CalibrationArtefact['provenance'] {
  const used = [target.id, ownBase.id, ...aligned.references.map(({ id }) => id)];
  const entries = plans.flatMap((each) => {
    const entry = plainEntries(each).get(dataset);
    return used.includes(each.model.id) && entry?.kind === 'ready' ? [{ model: each.model.id, entry }] : [];
  });
  const own = entries.find(({ model }) => model === target.id)?.entry.manifest.key;
  return {
    suite: suite.name,
    command: options.command === undefined ? null : [...options.command],
    tool: { version: toolVersion(), nodeLlamaCpp: nodeLlamaCppVersion(), llamaCppRelease: llamaCppRelease() },
    backend: own?.kind === 'scored' ? own.backend : 'imported',
    seeds: [...suite.seeds],
    calibrationFraction: suite.calibrationFraction,
    splitGenerator: SHUFFLE_GENERATOR,
    eceRule: `${suite.binning.bins} bins; ${binRule(suite.binning)}`,
    scores: entries.map(({ model, entry: { manifest } }) => ({
      model,
      entry: manifest.name,
      checksum: manifest.checksum,
    })),
  };
}
