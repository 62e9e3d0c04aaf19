import type { CalibrationMethod } from '../calibration/calibration-method.js';
import { COMBINATION_METHODS } from '../calibration/methods.js';
import { nearest } from '../errors/nearest.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import type { LoadedModels } from './load-models.js';
import type { ModelSpec, SuiteSpec } from './models-schema.js';
import { usingReferences } from './using-references.js';

/** What the user asked for on the command line; everything left out comes from models.yaml. */
export interface SuiteFilters {
  readonly suite: string;
  readonly datasets?: readonly string[];
  readonly targets?: readonly string[];
  readonly seeds?: readonly number[];
  readonly calibrationFraction?: number;
  readonly diagnostics?: SuiteSpec['diagnostics'];
  readonly listCombinations?: boolean;
  readonly bins?: number;
  readonly binEdges?: SuiteSpec['binEdges'];
  readonly edgeRule?: SuiteSpec['edgeRule'];
  readonly bootstrap?: SuiteSpec['bootstrap'];
  /** Entries of the methods table beside the built-in ones; those that the suite does not name run after the others. */
  readonly ownMethods?: readonly CalibrationMethod[];
}

export interface TargetPlan {
  readonly target: ModelSpec;
  readonly ownBase: ModelSpec;
  /**
   * R: bases of the target's bucket except its own base, in file order. None on a data set where neither a method nor a
   * diagnostic wants them: they are not scored then.
   */
  readonly referencePool: readonly ModelSpec[];
}

export interface SuitePlan {
  readonly name: string;
  readonly title: string;
  /** The targets of all data sets together. */
  readonly targets: readonly TargetPlan[];
  readonly datasets: readonly string[];
  /** Every model that some target needs, bases first, in file order. */
  readonly models: readonly ModelSpec[];
  /** The methods of all data sets together; `methodsOf` says which of them run on one. */
  readonly methods: readonly string[];
  /** Entries of the methods table beside the built-in ones. */
  readonly ownMethods: readonly CalibrationMethod[];
  /** Those of `methods` that run once per combination size M. */
  readonly combinationMethods: readonly string[];
  readonly elicitation: SuiteSpec['elicitation'];
  readonly seeds: readonly number[];
  readonly calibrationFraction: number;
  readonly diagnostics: SuiteSpec['diagnostics'];
  /** Whether all methods share their examples. */
  readonly examples: SuiteSpec['examples'];
  /** Whether DS of every combination is listed. */
  readonly listCombinations: boolean;
  /** How confidences are binned. */
  readonly binning: Pick<SuiteSpec, 'bins' | 'binEdges' | 'edgeRule'>;
  /** Bootstrap resamples. */
  readonly bootstrap: SuiteSpec['bootstrap'];
  methodsOf(dataset: string): readonly string[];
  /** M of the methods that use references on a data set. */
  combinationSizes(dataset: string): readonly number[];
  targetsOf(dataset: string): readonly TargetPlan[];
  /** Whether some target of the data set needs the model. */
  needs(dataset: string, model: string): boolean;
}

/**
 * Joins one suite with the command line's filters. Throws `usage` for an unknown suite, target or data set, and
 * `bad-input` when a combination size M exceeds a target's reference pool.
 */
export function planSuite(models: LoadedModels, filters: SuiteFilters): SuitePlan {
  const plan = draftSuite(models, filters);
  const faults = sizeFaults(models, plan);
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  return plan;
}

/** The plan before its combination sizes are checked. Throws `usage` as planSuite. */
export function draftSuite(models: LoadedModels, filters: SuiteFilters): SuitePlan {
  const names = Object.keys(models.suites);
  const suite = Object.hasOwn(models.suites, filters.suite) ? models.suites[filters.suite] : undefined;
  if (!suite) {
    throw new SupportCalError('usage', {
      file: models.file,
      message: `no suite "${filters.suite}"${nearest(filters.suite, names)}; name one with --suite`,
    });
  }
  const allTargets = models.models.filter((model) => model.role === 'post-trained');
  const datasets = narrow(suite.datasets, filters.datasets, '--dataset', filters.suite);
  const namesOf = (dataset: string) => {
    if (suite.targets === 'all') return allTargets.map((model) => model.id);
    return Array.isArray(suite.targets) ? suite.targets : (suite.targets[dataset] ?? []);
  };
  const suiteTargets = [...new Set(datasets.flatMap(namesOf))];
  const targetIds = narrow(suiteTargets, filters.targets, '--target', filters.suite);
  // Where models share an id, the first one counts; the others are faults of their own.
  const byId = new Map([...models.models].reverse().map((model) => [model.id, model]));
  const buckets = referencesByBucket(models, suite);
  const targets = targetIds.map((id): TargetPlan => {
    const target = byId.get(id)!;
    const ownBase = byId.get(target.base ?? '')!;
    const referencePool = (buckets.get(target.bucket) ?? []).filter((model) => model.id !== ownBase.id);
    return { target, ownBase, referencePool };
  });
  const { ownMethods = [] } = filters;
  const own = ownMethods.map(({ name }) => name);
  const methodsOf = (dataset: string) => [...new Set([...methodsFor(suite.methods, dataset), ...own])];
  const diagnostics = filters.diagnostics ?? suite.diagnostics;
  const listCombinations = filters.listCombinations ?? false;
  const wantsReferences = (dataset: string) =>
    diagnostics === 'full' || listCombinations || usingReferences(methodsOf(dataset), ownMethods).length > 0;
  const targetsOf = (dataset: string) => {
    const [names, wanted] = [new Set(namesOf(dataset)), wantsReferences(dataset)];
    const own = targets.filter(({ target }) => names.has(target.id));
    return wanted ? own : own.map(withoutReferences);
  };
  const combinationSizes = (dataset: string) =>
    wantsReferences(dataset) ? sizesFor(suite.combinationSizes, dataset, targetsOf(dataset)) : [];
  const methods = [...new Set([...datasets.flatMap((dataset) => methodsFor(suite.methods, dataset)), ...own])];
  const ownCombinations = ownMethods.filter(({ needs }) => needs === 'references').map(({ name }) => name);
  const combinationMethods = methods.filter((name) => [...COMBINATION_METHODS, ...ownCombinations].includes(name));

  const modelsOf = (all: readonly TargetPlan[]) =>
    new Set(all.flatMap((each) => [each.target, each.ownBase, ...each.referencePool]));
  const needed = modelsOf(datasets.flatMap(targetsOf));
  const neededBy = new Map(
    datasets.map((dataset) => [dataset, new Set([...modelsOf(targetsOf(dataset))].map(({ id }) => id))]),
  );
  const ordered = models.models.filter((model) => needed.has(model));
  return {
    name: filters.suite,
    title: suite.title ?? filters.suite,
    targets: datasets.some(wantsReferences) ? targets : targets.map(withoutReferences),
    datasets,
    models: [...ordered.filter((model) => model.role === 'base'), ...ordered.filter((model) => model.role !== 'base')],
    methods,
    methodsOf,
    ownMethods,
    combinationMethods,
    elicitation: suite.elicitation,
    seeds: filters.seeds ?? suite.seeds,
    calibrationFraction: filters.calibrationFraction ?? suite.calibrationFraction,
    diagnostics,
    examples: suite.examples,
    listCombinations,
    binning: {
      bins: filters.bins ?? suite.bins,
      binEdges: filters.binEdges ?? suite.binEdges,
      edgeRule: filters.edgeRule ?? suite.edgeRule,
    },
    bootstrap: filters.bootstrap ?? suite.bootstrap,
    combinationSizes,
    targetsOf,
    needs: (dataset, model) => neededBy.get(dataset)?.has(model) ?? false,
  };
}

const withoutReferences = (plan: TargetPlan): TargetPlan => ({ ...plan, referencePool: [] });

/** The suite as it is on one data set: with the methods that run there. */
export function planOn(suite: SuitePlan, dataset: string): SuitePlan {
  const methods = suite.methodsOf(dataset);
  return { ...suite, methods, combinationMethods: suite.combinationMethods.filter((name) => methods.includes(name)) };
}

/** The base models that may be references, by their bucket. */
function referencesByBucket({ models }: LoadedModels, { references }: SuiteSpec) {
  const allowed = references === undefined ? null : new Set(references);
  const buckets = new Map<ModelSpec['bucket'], ModelSpec[]>();
  for (const model of models) {
    if (model.role !== 'base' || !(allowed?.has(model.id) ?? true)) continue;
    const bucket = buckets.get(model.bucket);
    if (bucket === undefined) buckets.set(model.bucket, [model]);
    else bucket.push(model);
  }
  return buckets;
}

function methodsFor(written: SuiteSpec['methods'], dataset: string): readonly string[] {
  if (Array.isArray(written)) return written;
  return (Object.hasOwn(written, dataset) ? written[dataset] : written.default) ?? [];
}

/** Sizes that were written down are taken as they are; of the default 1 and 2 stays what the smallest pool can fill. */
function sizesFor(
  written: SuiteSpec['combinationSizes'],
  dataset: string,
  targets: readonly TargetPlan[],
): readonly number[] {
  if (Array.isArray(written)) return written;
  const own = written && Object.hasOwn(written, dataset) ? written[dataset] : written?.default;
  if (own) return own;
  const smallestPool = Math.min(...targets.map((each) => each.referencePool.length));
  return [1, 2].filter((size) => size <= smallestPool);
}

function narrow(
  all: readonly string[],
  wanted: readonly string[] | undefined,
  flag: string,
  suite: string,
): readonly string[] {
  if (wanted === undefined || wanted.length === 0) return all;
  const [known, asked] = [new Set(all), new Set(wanted)];
  const unknown = wanted.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new SupportCalError(
      'usage',
      unknown.map((id) => ({ message: `${flag} "${id}" is not part of suite "${suite}"${nearest(id, all)}` })),
    );
  }
  return all.filter((id) => asked.has(id));
}

/** Combination sizes M that exceed the reference pool of a target. */
export function sizeFaults(models: LoadedModels, suite: SuitePlan): Fault[] {
  const { name, datasets, combinationMethods } = suite;
  if (combinationMethods.length === 0) return [];
  const largestOf = new Map<TargetPlan, number>();
  for (const dataset of datasets) {
    const largest = Math.max(0, ...suite.combinationSizes(dataset));
    const here = new Set(suite.targetsOf(dataset).map(({ target }) => target));
    for (const each of suite.targets.filter(({ target }) => here.has(target)))
      largestOf.set(each, Math.max(largestOf.get(each) ?? 0, largest));
  }
  const path = ['suites', name, 'combinationSizes'];
  return [...largestOf].flatMap(([{ target, referencePool }, largest]) => {
    if (largest <= referencePool.length) return [];
    const pool = referencePool.map((model) => model.id).join(', ') || 'none';
    const message =
      `M = ${largest} needs ${largest} references for "${target.id}", ` +
      `but its pool has ${referencePool.length}: ${pool}` +
      ` (bases of bucket "${target.bucket}" without its own base); ${whatHelps(referencePool.length)}`;
    return [{ file: models.file, ...models.locate(path), field: path.join('.'), message }];
  });
}

/** What to do where the pool is smaller than M: an M of 0 selects nothing. */
function whatHelps(references: number): string {
  const add = 'add bases of other families to the bucket (`role: base`)';
  if (references > 0) return `write combinationSizes of ${references} or less, or ${add}`;
  return `${add}, or choose methods that need no references (\`methods: [vanilla, daca]\`)`;
}
