import { planOn } from '../../config/plan-suite.js';
import { reasonOn } from '../../contract/failure-reasons.js';
import { Scratch } from '../../numeric/scratch.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import { collectAsked, withoutUnasked } from '../asking/asked-scores.js';
import { refusalWarnings } from '../asking/render-ways.js';
import type { AskedDataset } from '../asking/way-of-asking.js';
import { type DatasetScores, joinScores, type ModelScores } from '../join/dataset-scores.js';
import type { PlannedEntry } from '../join/planned-entry.js';
import { type ModelPlan, plainEntries } from '../score/score-plan.js';
import type { Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import { answerHealth, type HealthFinding, nearTies } from './answer-health.js';
import { batchNoise } from './batch-noise.js';
import { describeModels, medianOptionMasses } from './describe-models.js';
import { type MeasuredModel, type MeasuredModels, measureModel } from './measure-model.js';
import { lowOptionMass, withoutModels } from './option-mass.js';
import { leftOutNotes, selfCheckNotes } from './self-check-notes.js';

/** What one data set brings into calibration: the usable scores of every model, and what is not usable and why. */
export interface CollectedScores extends AskedDataset {
  readonly dataset: string;
  /** How each model does by itself; takes a while on many examples. */
  readonly describe: () => Diagnostics['models'];
  /** The models that are described, and those that have been measured for it, which others may add to. */
  readonly models: MeasuredModels;
  readonly skipped: Results['skipped'];
  readonly warnings: readonly string[];
  /** What makes the numbers of a model mean little, looked for when it is first asked for. */
  readonly health: () => readonly HealthFinding[];
}

/**
 * Joins the planned entries of one data set with its examples, and leaves out models whose option mass says that their
 * options mean nothing. `reasons` says why a model that should have been scored was not.
 */
export function collectScores(
  { suite, ways }: Pick<Workspace, 'suite' | 'ways'>,
  { spec, content }: WorkspaceDataset,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
): CollectedScores {
  const dataset = spec.id;
  const { methods, binning } = planOn(suite, dataset);
  const ready = plans.flatMap((each) => {
    const entry = plainEntries(each).get(dataset);
    return entry?.kind === 'ready' ? [{ model: each.model.id, entry }] : [];
  });
  const tables = new Map(ready.map(({ model, entry }) => [model, entry.table]));
  const scores = joinScores(dataset, content?.dataset ?? null, tables);
  const optionsShown = spec.yaml.scoring?.mode !== 'text';
  const imported = new Set(ready.filter(({ entry }) => entry.imported).map(({ model }) => model));
  const low = lowOptionMass(spec.yaml.scoring, medianOptionMasses(scores, optionsShown), imported);
  const { asked, skipped } = collectAsked(ways, scores, plans, reasons);
  const warnings = [...(content?.dataset.warnings ?? []), ...refusalWarnings(ways, methods, content?.rendered)];
  const facts = ready.map(({ model, entry }) => ({
    model,
    facts: entry.manifest.facts,
    nearTies: (gap: number) => {
      const own = scores.models.get(model);
      return own === undefined ? 0 : nearTies(own, gap);
    },
    moves: (difference: number) => {
      const own = scores.models.get(model);
      return own === undefined ? null : batchNoise(own, scores.labels, difference);
    },
  }));
  const usable = withoutUnasked(withoutModels(scores, low), asked);
  const measures = new Map<string, MeasuredModel>();
  const scratch = new Scratch();
  const measured = (each: ModelScores) => {
    const found = measures.get(each.model) ?? measureModel({ ...each, labels: scores.labels }, binning, scratch);
    measures.set(each.model, found);
    return found;
  };
  let findings: readonly HealthFinding[] | undefined;
  return {
    dataset,
    spec,
    examples: content?.dataset.examples ?? [],
    scores: usable,
    health: () => {
      findings ??= answerHealth(usable, asked, optionsShown, (each) => measured(each).answers);
      return findings;
    },
    asked,
    describe: () => describeModels(scores, binning, optionsShown, measured),
    models: { scores, binning, measured: measures },
    skipped: [
      ...missingModels(dataset, plans, reasons),
      ...failedExamples(scores),
      ...skipped,
      ...[...low].map(([model, reason]) => ({ dataset, model, example: null, reason })),
    ],
    warnings: [
      ...labelWarnings(scores, content !== null),
      ...warnings.map((warning) => `${dataset}: ${warning}`),
      ...leftOutNotes(dataset, content?.dataset.leftOut ?? []),
      ...selfCheckNotes(dataset, facts),
    ],
  };
}

/** What rows without a label mean; where only some have none, the data set itself names them. */
function labelWarnings({ dataset, labels }: DatasetScores, isNamed: boolean): string[] {
  const unlabelled = labels.filter((label) => label === -1).length;
  if (unlabelled === 0 || (isNamed && unlabelled < labels.length)) return [];
  return [
    unlabelled === labels.length
      ? `${dataset}: no example has a label; temperatures are fitted (\`supportcal export\` writes them), but ` +
        'accuracy and ECE need labels'
      : `${dataset}: ${unlabelled} of ${labels.length} examples have no label; they take part in the fit, not in the ` +
        'metrics',
  ];
}

function missingModels(
  dataset: string,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
): Results['skipped'] {
  return plans.flatMap((each) => {
    const entry = plainEntries(each).get(dataset);
    if (entry === undefined || entry.kind === 'ready') return [];
    const { id } = each.model;
    return [{ dataset, model: id, example: null, reason: whyMissing(entry, reasonOn(reasons, id, dataset)) }];
  });
}

function whyMissing(entry: PlannedEntry, scoringReason: string | undefined): string {
  if (entry.kind === 'unavailable') return entry.reason;
  return scoringReason ?? 'no scores in the cache; run `supportcal score` or `supportcal pipeline`';
}

function failedExamples({ dataset, models }: DatasetScores): Results['skipped'] {
  return [...models.values()].flatMap(({ model, failures }) =>
    failures.map(({ id, reason }) => ({ dataset, model, example: id, reason })),
  );
}
