import { ANSWER_METHODS } from '../../calibration/methods.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { isLabelFree } from '../../results/method-label.js';
import { summariseRuns } from '../../results/summarise-runs.js';
import { verdictsOf } from '../../results/verdict/verdicts-of.js';
import type { Verdict } from '../../results/verdict-schema.js';
import type { DatasetCalibration } from '../calibrate/calibrate-dataset.js';
import type { CollectedScores } from '../collect/collect-scores.js';
import { type ExportedMethod, exportedMethod } from './export-method.js';

/** What is taken where the suite has no method that finds a temperature without labels. */
const DEFAULT_METHOD = 'auto';

/**
 * The plan with the methods that a verdict chooses among: those of the suite that find a temperature for the plain
 * scores, with the smallest M, and the two that they are compared with.
 */
export function verdictSuite(suite: SuitePlan): SuitePlan {
  const methodsOf = (dataset: string) => {
    const fitting = suite.methodsOf(dataset).filter((name) => !ANSWER_METHODS.some((each) => each.name === name));
    const isFree = fitting.some((name) => name !== 'vanilla' && isLabelFree(name));
    return [...new Set(['vanilla', ...fitting, ...(isFree ? [] : [DEFAULT_METHOD]), 'oracle-ts'])];
  };
  const methods = [...new Set(suite.datasets.flatMap(methodsOf))];
  return {
    ...suite,
    methods,
    methodsOf,
    combinationMethods: suite.combinationMethods.filter((name) => methods.includes(name)),
    combinationSizes: (dataset) => {
      const sizes = suite.combinationSizes(dataset);
      return sizes.length === 0 ? [] : [Math.min(...sizes)];
    },
    diagnostics: 'basic',
    listCombinations: false,
  };
}

/** The verdicts on a calibrated data set, by target. */
export function verdictsByTarget(
  { runs, cells, diagnostics }: DatasetCalibration,
  { health }: Pick<CollectedScores, 'health'>,
): ReadonlyMap<string, Verdict> {
  const { sampleSize } = diagnostics;
  const { summary } = summariseRuns(runs, cells);
  const verdicts = verdictsOf({
    runs: [...runs],
    summary,
    health: [...health()],
    ...(sampleSize !== undefined && { diagnostics: { sampleSize } }),
  });
  return new Map(verdicts.map((verdict) => [verdict.target, verdict]));
}

/**
 * The method that a verdict takes. A model that is best left alone has one too, since an artefact holds a temperature:
 * the best of those there are, beside the verdict that says so. null: no method has a temperature.
 */
export function methodOfVerdict(suite: SuitePlan, { use, alike }: Verdict): ExportedMethod | null {
  const taken = use ?? alike[0];
  if (taken === undefined) return null;
  const { method, combinationSize } = taken;
  return exportedMethod(suite, { method, ...(combinationSize !== null && { combinationSize }) });
}
