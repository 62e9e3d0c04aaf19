import type { SuitePlan } from '../../config/plan-suite.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import { elicitationWarnings, NO_FORMS } from '../asking/elicitation-forms.js';
import { type CollectedElicitation, collectElicitation } from '../asking/elicited-scores.js';
import { rotationWarnings } from '../asking/rotation-forms.js';
import { type CollectedRotations, collectRotations, withoutUnrotated } from '../asking/rotation-scores.js';
import { type DatasetScores, joinScores } from '../join/dataset-scores.js';
import type { PlannedEntry } from '../join/planned-entry.js';
import type { ModelPlan } from '../score/score-plan.js';
import type { WorkspaceDataset } from '../workspace/workspace.js';
import { describeModels, medianOptionMasses } from './describe-models.js';
import { lowOptionMass, withoutModels } from './option-mass.js';
import { leftOutNotes, selfCheckNotes } from './self-check-notes.js';

/** What one data set brings into calibration: the usable scores of every model, and what is not usable and why. */
export interface CollectedScores {
  readonly dataset: string;
  readonly scores: DatasetScores;
  /** By target; none where no method rotates the options. */
  readonly rotations: CollectedRotations['targets'];
  /** By target, what it was asked to reply. */
  readonly elicited: CollectedElicitation['targets'];
  /** How each model does by itself; takes a while on many examples. */
  readonly describe: () => Diagnostics['models'];
  readonly skipped: Results['skipped'];
  readonly warnings: readonly string[];
}

/**
 * Joins the planned entries of one data set with its examples, and leaves out models whose option mass says that their
 * options mean nothing. `reasons` says why a model that should have been scored was not.
 */
export function collectScores(
  { spec, content }: WorkspaceDataset,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
  plan: Pick<SuitePlan, 'binning' | 'methods'>,
): CollectedScores {
  const dataset = spec.id;
  const ready = plans.flatMap(({ model, entries }) => {
    const entry = entries.get(dataset);
    return entry?.kind === 'ready' ? [{ model: model.id, entry }] : [];
  });
  const scores = joinScores(
    dataset,
    content?.dataset ?? null,
    new Map(ready.map(({ model, entry }) => [model, entry.table])),
  );
  const optionsShown = spec.yaml.scoring?.mode !== 'text';
  const imported = new Set(ready.filter(({ entry }) => entry.imported).map(({ model }) => model));
  const low = lowOptionMass(spec.yaml.scoring, medianOptionMasses(scores, optionsShown), imported);
  const rotations = collectRotations(scores, plans, reasons);
  const elicited = collectElicitation(scores, plans, reasons);
  return {
    dataset,
    scores: withoutUnrotated(withoutModels(scores, low), rotations.targets),
    rotations: rotations.targets,
    elicited: elicited.targets,
    describe: () => describeModels(scores, plan.binning, optionsShown),
    skipped: [
      ...missingModels(dataset, plans, reasons),
      ...failedExamples(scores),
      ...rotations.skipped,
      ...elicited.skipped,
      ...[...low].map(([model, reason]) => ({ dataset, model, example: null, reason })),
    ],
    warnings: [
      ...[
        ...(content?.dataset.warnings ?? []),
        ...rotationWarnings(plan, content?.rotations ?? new Map()),
        ...elicitationWarnings(plan, content?.elicitation ?? NO_FORMS),
      ].map((warning) => `${dataset}: ${warning}`),
      ...leftOutNotes(dataset, content?.dataset.leftOut ?? []),
      ...selfCheckNotes(
        dataset,
        ready.map(({ model, entry }) => ({ model, facts: entry.manifest.facts })),
      ),
    ],
  };
}

function missingModels(
  dataset: string,
  plans: readonly ModelPlan[],
  reasons: ReadonlyMap<string, string>,
): Results['skipped'] {
  return plans.flatMap(({ model, entries }) => {
    const entry = entries.get(dataset);
    if (entry === undefined || entry.kind === 'ready') return [];
    return [{ dataset, model: model.id, example: null, reason: whyMissing(entry, reasons.get(model.id)) }];
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
