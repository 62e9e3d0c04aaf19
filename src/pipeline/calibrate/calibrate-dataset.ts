import { exampleSplitter } from '../../calibration/split-examples.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { documentHash } from '../../results/one-run.js';
import type { RunResult } from '../../results/run-schema.js';
import type { CellInference } from '../../results/summarise-runs.js';
import type { Untold } from '../../results/untold-schema.js';
import { FEWEST_LABELS } from '../../results/verdict/verdict-kind.js';
import { BOOTSTRAP_SEED, BootstrapPool, type MeasuredMethod } from '../bootstrap/bootstrap-pool.js';
import { type Comparison, compareMethods } from '../bootstrap/compare-methods.js';
import { type ExampleClusters, exampleClusters } from '../bootstrap/example-clusters.js';
import { type InferredCell, inferCell, inferCells } from '../bootstrap/infer-cells.js';
import { ReliabilityPool } from '../bootstrap/reliability-pool.js';
import { binResampleCount, resampleCount } from '../bootstrap/resample-count.js';
import { DatasetDiagnostics } from '../diagnostics/dataset-diagnostics.js';
import { type PickedExample, pickExamples } from '../diagnostics/pick-examples.js';
import { untoldRanges } from '../diagnostics/untold-ranges.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import {
  type DatasetInput,
  type QueuedAlignment,
  queueTargets,
  type RefusedTarget,
  rowsOfSplit,
  type SeededSplit,
} from './queue-targets.js';
import { referenceWarnings } from './reference-warnings.js';
import { type RefittedMethod, refitTarget } from './refit-shares.js';
import { finishTarget, type SplitThreads } from './split-threads.js';
import { type DatasetSplits, datasetJson } from './splits-json.js';
import type { SplitRuns } from './target-runs.js';
import { twinWarnings } from './twin-warnings.js';

/** Below this number of evaluation examples a warning says what an ECE is worth. */
const FEW_EXAMPLES = 300;

export interface DatasetCalibration {
  readonly runs: readonly RunResult[];
  readonly splits: DatasetSplits;
  readonly reliability: Diagnostics['reliability'];
  readonly diagnostics: ReturnType<DatasetDiagnostics['lists']>;
  readonly thresholds: ReturnType<DatasetDiagnostics['thresholds']>;
  readonly untold: readonly Untold[];
  /** Taken from the split of the first seed. */
  readonly examples: readonly PickedExample[];
  readonly cells: readonly CellInference[];
  readonly comparisons: readonly Comparison[];
  /** Bootstrap resamples behind them; 0: none were made. */
  readonly resamples: number;
  readonly resampled: NonNullable<Diagnostics['resamples']>;
  /** Targets that could not be calibrated at all, with the reason. */
  readonly skipped: ReadonlyArray<{ readonly model: string; readonly example: null; readonly reason: string }>;
  readonly warnings: readonly string[];
}

/** Up to this many examples, the memory of all targets at a time is little. */
const MOST_AHEAD = 10_000;

/** The rest of a data set's work; `meanwhile` is what this thread can do when the threads have begun. */
export type FinishDataset = (meanwhile?: () => unknown) => Promise<DatasetCalibration>;

/** Runs `openDataset` to its end. */
export function calibrateDataset(...input: Parameters<typeof openDataset>): Promise<DatasetCalibration> {
  return openDataset(...input)();
}

/**
 * Calibrates every target of the suite on one data set, for every seed: scores in, numbers out, the same to the bit
 * whatever the number of threads. With threads, the targets of a small data set are queued at once, so that the threads
 * go on with them while this one does what is not theirs.
 */
export function openDataset(input: DatasetInput, threads?: SplitThreads): FinishDataset {
  const run = new DatasetRun(input, threads);
  const targets = run.targets();
  const isSmall = input.scores.ids.length <= MOST_AHEAD;
  const ahead = threads !== undefined && threads.helpers.length > 0 && isSmall ? [...targets] : null;
  for (const each of ahead ?? []) run.diagnose(each);
  return async (meanwhile) => {
    for (const each of ahead ?? targets) {
      await meanwhile?.();
      await run.calibrate(each);
      if (ahead === null) run.diagnose(each);
    }
    await run.refitted();
    return run.result();
  };
}

/** Collects everything that comes of one data set, target by target. */
class DatasetRun {
  readonly #suite: SuitePlan;
  readonly #scores: DatasetScores;
  readonly #splitter: ReturnType<typeof exampleSplitter>;
  readonly #splits: readonly SeededSplit[];
  readonly #listed: DatasetSplits;
  readonly #diagnostics: DatasetDiagnostics;
  readonly #clusters: ExampleClusters;
  /** Unlabelled examples too: temperatures are fitted on them. */
  readonly #drawn: ExampleClusters;
  readonly #bootstrap: BootstrapPool;
  readonly #reliability: ReliabilityPool;
  readonly #runs: RunResult[] = [];
  readonly #examples: PickedExample[] = [];
  readonly #untold: Untold[] = [];
  readonly #skipped: DatasetCalibration['skipped'][number][] = [];
  readonly #warnings: string[];
  readonly #resampled: DatasetCalibration['resampled'][number][] = [];
  readonly #cells = new Map<MeasuredMethod, InferredCell>();
  /** By target, in their order; other threads may be at work on their shares. */
  readonly #refits: { readonly id: string; readonly methods: Promise<readonly RefittedMethod[]> }[] = [];

  constructor(
    private readonly input: DatasetInput,
    private readonly threads?: SplitThreads,
  ) {
    const { suite, scores } = input;
    const { dataset, ids } = scores;
    const { seeds, binning, bootstrap } = suite;
    this.#suite = suite;
    this.#scores = scores;
    this.#splitter = exampleSplitter(ids, scores.contentHashes);
    this.#splits = seeds.map((seed) => ({ seed, ...this.#splitter(seed, suite.calibrationFraction) }));
    this.#listed = { dataset, ids, bySeed: this.#splits };
    this.#diagnostics = new DatasetDiagnostics(suite, dataset, ids.length);
    this.#clusters = exampleClusters(scores);
    this.#drawn = exampleClusters(scores, 'all');
    const diagrams = diagramsOf(suite, dataset);
    this.#bootstrap = new BootstrapPool(resampleCount(bootstrap, diagrams * seeds.length * ids.length));
    const binResamples = binResampleCount(bootstrap, diagrams * ids.length);
    this.#reliability = new ReliabilityPool(dataset, this.#clusters, binning, binResamples);
    const copied = (scores.warnings ?? []).map((warning) => `${dataset}: ${warning}`);
    this.#warnings = copied;
  }

  targets(): Generator<QueuedAlignment | RefusedTarget> {
    // Intervals of smooth ECE, which full diagnostics have, are of the confidences themselves.
    const full = this.#suite.diagnostics === 'full';
    const keepExamples = full || this.#bootstrap.resamples + this.#reliability.resamples > 0;
    return queueTargets({ ...this.input, splits: this.#splits, keepExamples }, this.threads);
  }

  /** Adds the target to the diagnostics of the data set. */
  diagnose(each: QueuedAlignment | RefusedTarget): void {
    if ('reason' in each || !each.first) return;
    const { aligned, queued } = each;
    const { target: id, ownBase, combinationSizes, splits } = queued.job;
    const splitAt = (seed: number, fraction: number) => rowsOfSplit(aligned, this.#splitter(seed, fraction));
    const calibration = queued.calibration();
    this.#diagnostics.add({ id, ownBase, aligned, calibration, combinationSizes, splits, splitAt });
  }

  /** Waits for the splits of the target and takes what they measured. */
  async calibrate(each: QueuedAlignment | RefusedTarget): Promise<void> {
    if ('reason' in each) {
      this.#skipped.push({ model: each.target.target.id, example: null, reason: each.reason });
      return;
    }
    const { target, aligned, queued } = each;
    const { dataset } = this.#scores;
    if (each.first) {
      this.#warnings.push(...aligned.warnings, ...each.notes, ...twinWarnings(dataset, target, aligned));
      this.#warnings.push(...referenceWarnings(this.#suite, dataset, target, aligned));
    }
    // The text of the splits is made while other threads are at work.
    const done = await finishTarget(queued, () => datasetJson(this.#listed));
    this.#resample(each, done);
    const measured = done.flatMap((split) => split.runs);
    const runs = each.withOwnBase ? measured : measured.map((run) => ({ ...run, ...NO_OWN_BASE }));
    this.#runs.push(...runs);
    this.#diagnostics.measured({ aligned, splits: queued.job.splits }, runs);
    this.#untold.push(...untoldRanges({ plan: target, aligned, splits: queued.job.splits }, runs, this.#suite.binning));
    if (each.first) this.#pick(each, runs);
    if (this.#bootstrap.resamples === 0) this.#inferAhead();
  }

  /** Nothing more comes of these methods, and other threads are at work on the next target. */
  #inferAhead(): void {
    for (const method of this.#measured())
      if (!this.#cells.has(method)) this.#cells.set(method, inferCell(method, this.#suite));
  }

  #measured(): readonly MeasuredMethod[] {
    return this.#suite.bootstrap === 0 ? [] : this.#bootstrap.measured();
  }

  /** Waits for the refits of all targets and takes what they found. */
  async refitted(): Promise<void> {
    if (this.#refits.length === 0) return;
    const { dataset, ids, contentHashes } = this.#scores;
    const draws = documentHash(JSON.stringify([BOOTSTRAP_SEED, ids, contentHashes]));
    for (const { id, methods } of this.#refits) {
      for (const { method, combinationSize, nested } of await methods) {
        this.#bootstrap.addResamples(id, method, combinationSize, nested);
        const ecesPp = Array.from(nested.eces, (ece) => (Number.isNaN(ece) ? null : Number((100 * ece).toFixed(4))));
        this.#resampled.push({ dataset, target: id, method, combinationSize, draws, ecesPp });
      }
    }
  }

  result(): DatasetCalibration {
    const { dataset } = this.#scores;
    const measured = this.#measured();
    return {
      runs: this.#suite.examples === 'common' ? this.#runs : inOrder(this.#runs, this.#suite),
      splits: this.#listed,
      reliability: this.#reliability.entries(),
      diagnostics: this.#diagnostics.lists(),
      thresholds: this.#diagnostics.thresholds(),
      untold: this.#untold,
      examples: this.#examples,
      cells: inferCells(dataset, measured, this.#suite, this.#cells),
      comparisons: compareMethods(dataset, measured),
      resamples: this.#bootstrap.resamples,
      resampled: this.#resampled,
      skipped: this.#skipped,
      warnings: [...this.#warnings, ...this.#diagnostics.warnings, ...fewExamples(dataset, this.#runs)],
    };
  }

  /** Hands the measured examples of every split to the two bootstraps, and refits the target on resamples. */
  #resample({ target, aligned, queued, first }: QueuedAlignment, done: readonly SplitRuns[]): void {
    const { id } = target.target;
    const clustersOf = this.#clusters.ofTarget(aligned);
    const resample = this.#bootstrap.ofTarget(id, clustersOf);
    const collect = this.#reliability.ofTarget(id, clustersOf);
    for (const [s, { ownBase, measured }] of done.entries()) {
      if (first) collect('own-base', null, ownBase);
      const seed = queued.job.splits[s]?.seed ?? Number.NaN;
      for (const { method, combinationSize, evaluation } of measured) {
        collect(method, combinationSize, evaluation);
        resample(seed, method, combinationSize, evaluation);
      }
    }
    if (this.#bootstrap.resamples === 0) return;
    this.#refit(id, { aligned, queued });
  }

  #refit(id: string, { aligned, queued }: Pick<QueuedAlignment, 'aligned' | 'queued'>): void {
    const { calibrationFraction, seeds } = this.#suite;
    const rows = Int32Array.from({ length: aligned.labels.length }, (_, n) => n);
    const design = {
      clusters: this.#drawn.ofTarget(aligned)(rows),
      clusterCount: this.#drawn.count,
      calibrationFraction,
      splits: seeds.length,
      resamples: this.#bootstrap.resamples,
      seed: BOOTSTRAP_SEED,
    };
    const work = { job: queued.job, certain: aligned.certain ?? null, design };
    const methods = refitTarget(work, queued.calibration(), this.threads?.helpers);
    // A fault is raised where the refits are taken; Node must not take it for one that nobody looks at.
    methods.catch(() => undefined);
    this.#refits.push({ id, methods });
  }

  /** Picks examples from the split of the first seed. */
  #pick({ target, aligned, queued }: QueuedAlignment, runs: readonly RunResult[]): void {
    const [split] = queued.job.splits;
    if (split === undefined) return;
    const fitted = { target: target.target.id, ownBase: target.ownBase.id, aligned, calibration: queued.calibration() };
    this.#examples.push(...pickExamples({ ...fitted, split, runs }));
  }
}

const NO_OWN_BASE = { ownBaseAccuracy: null, disagreementRate: null };

/** Runs of several groups of methods in the order of one: by target, seed and method. */
function inOrder(runs: readonly RunResult[], { seeds, methods }: SuitePlan): RunResult[] {
  const targets = [...new Set(runs.map(({ target }) => target))];
  const placeOf = ({ target, seed, method }: RunResult) => [
    targets.indexOf(target),
    seeds.indexOf(seed),
    methods.indexOf(method),
  ];
  return runs.toSorted((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return one.map((place, n) => place - (other[n] ?? 0)).find((difference) => difference !== 0) ?? 0;
  });
}

function diagramsOf(suite: SuitePlan, dataset: string): number {
  return suite.targetsOf(dataset).length * (suite.methods.length + suite.combinationSizes(dataset).length);
}

function fewExamples(dataset: string, runs: readonly RunResult[]): string[] {
  const fewest = Math.min(...runs.map((run) => run.labelledCount).filter((count) => count > 0));
  if (fewest >= FEW_EXAMPLES) return [];
  return [
    `${dataset}: ${fewest} labelled evaluation examples per seed; below ${FEW_EXAMPLES}, ECE is biased upwards and ` +
      `small differences mean nothing (a verdict, which allows for both, takes ${FEWEST_LABELS})`,
  ];
}
