import type { TargetCalibration } from '../../calibration/calibrate-target.js';
import { INCLUSION_FRACTIONS, reintroduction, unitWeights } from '../../calibration/curves/reintroduction.js';
import { disagreementMargins } from '../../calibration/curves/weight-margin.js';
import type { TemperatureOutcome } from '../../calibration/fit/temperature-outcome.js';
import { weightingMethod } from '../../calibration/methods.js';
import type { CalibrationSplit } from '../../calibration/open-split.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { eceEvaluator } from '../../metrics/ece-evaluator.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { inverseTemperatureOf } from '../../results/run-fields.js';
import type { RunResult } from '../../results/run-schema.js';
import type { Thresholds } from '../../results/threshold-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { RowSplit } from './combination-rows.js';
import { combinationRows } from './combination-rows.js';
import { CurvePool } from './curve-pool.js';
import { lossRows } from './loss-rows.js';
import { MarginPool } from './margin-pool.js';
import { RegretPool } from './regret-pool.js';
import { riskRows } from './risk-rows.js';
import { thresholdsOfRuns } from './threshold-points.js';

/** Calibration fractions of the sample-size curve. */
export const CALIBRATION_FRACTIONS = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5] as const;

/**
 * Basic diagnostics draw curves for the smallest M where targets x examples is at most this: of all seeds where targets
 * x examples x seeds is at most three times that, which takes up to a quarter of a second, else of the first. Beyond
 * it, and for the rest, they are asked for with full.
 */
const MOST_BASIC_ROWS = 10_000;
export const MOST_ROWS_OF_SEEDS = 3 * MOST_BASIC_ROWS;
/** Risk-coverage curves sort the examples once per column: up to this many targets x examples unasked. */
const MOST_SORTED_ROWS = 100_000;

/** The methods whose sample-size curve the figure shows, and auto, for its verdict; full diagnostics have them all. */
const SAMPLE_SIZE_METHODS = ['daca', 'supportcal', 'auto', 'oracle-ts'];

const SUPPORTCAL = weightingMethod('supportcal');

/** One target, ready to be looked into. Rows are those of the aligned blocks. */
export interface DiagnosedTarget {
  readonly id: string;
  readonly ownBase: string;
  readonly aligned: AlignedTarget;
  readonly calibration: TargetCalibration;
  readonly combinationSizes: readonly number[];
  /** Per seed: rows of the split that the results use. */
  readonly splits: readonly RowSplit[];
  /** Rows of a split at another calibration fraction. */
  readonly splitAt: (seed: number, fraction: number) => Omit<RowSplit, 'seed'>;
}

type Lists = { readonly disagreement: NonNullable<Diagnostics['disagreement']> } & Pick<
  Diagnostics,
  | 'loss'
  | 'weightByMargin'
  | 'weightBySign'
  | 'reintroduction'
  | 'sensitivity'
  | 'sampleSize'
  | 'combinations'
  | 'regret'
  | 'riskCoverage'
>;

/** Collects the diagnostics of the paper for the targets of one data set. */
export class DatasetDiagnostics {
  readonly #disagreement: NonNullable<Diagnostics['disagreement']> = [];
  readonly #margins: MarginPool;
  readonly #reintroduction = new CurvePool<{ weights: 'unit' | 'supportcal'; combinationSize: number | null }>();
  readonly #sensitivity = new CurvePool<Record<never, never>>();
  readonly #sampleSize = new CurvePool<{ method: string; combinationSize: number | null }>();
  readonly #loss: NonNullable<Diagnostics['loss']> = [];
  readonly #regret: RegretPool;
  readonly #risk: ReturnType<typeof riskRows> = [];
  readonly #thresholds: Thresholds[] = [];
  readonly #sorts: boolean;
  /** How many seeds the curves are of. */
  readonly #seeds: number;
  readonly #combinations: NonNullable<Diagnostics['combinations']> = [];
  readonly warnings: string[] = [];

  constructor(
    private readonly suite: SuitePlan,
    private readonly dataset: string,
    examples: number,
  ) {
    this.#margins = new MarginPool(dataset);
    this.#regret = new RegretPool(suite.binning);
    const rows = suite.targetsOf(dataset).length * examples;
    const all = suite.diagnostics === 'full' || rows * suite.seeds.length <= MOST_ROWS_OF_SEEDS;
    this.#sorts = suite.diagnostics === 'full' || rows <= MOST_SORTED_ROWS;
    this.#seeds = all ? suite.seeds.length : rows <= MOST_BASIC_ROWS ? 1 : 0;
  }

  add(target: DiagnosedTarget): void {
    const { calibration, id, ownBase } = target;
    const examples = calibration.disagreement.length;
    const disagreements = calibration.disagreement.reduce((sum, flag) => sum + flag, 0);
    const rate = disagreements / examples;
    this.#disagreement.push({ dataset: this.dataset, target: id, ownBase, examples, disagreements, rate });
    if (this.suite.listCombinations) this.#listCombinations(target);
    const splits = target.splits.slice(0, this.#seeds);
    for (const rows of splits) this.#addSplit(target, rows);
    for (const { seed } of splits) this.#addSampleSizes(target, seed);
  }

  /** Takes what was measured of a target. */
  measured({ aligned, splits }: Pick<DiagnosedTarget, 'aligned' | 'splits'>, runs: readonly RunResult[]): void {
    this.#regret.add(aligned, splits.slice(0, this.#seeds), runs);
    const [first] = splits;
    if (first === undefined || !this.#sorts) return;
    this.#risk.push(...riskRows(aligned, first, runs));
    this.#thresholds.push(...thresholdsOfRuns(aligned, first, runs));
  }

  /** For results.json; empty where sorting the examples for it was not asked for. */
  thresholds(): readonly Thresholds[] {
    return this.#thresholds;
  }

  lists(): Lists {
    const named = <T>(rows: readonly T[]) => rows.map((row) => ({ dataset: this.dataset, ...row }));
    return {
      disagreement: this.#disagreement,
      ...(this.suite.listCombinations && { combinations: this.#combinations }),
      ...(this.#risk.length > 0 && { riskCoverage: named(this.#risk) }),
      ...(this.#seeds > 0 && {
        regret: named(this.#regret.entries()),
        sensitivity: named(this.#sensitivity.entries()),
        loss: this.#loss,
        ...this.#margins.lists(),
        reintroduction: named(this.#reintroduction.entries()),
        sampleSize: named(this.#sampleSize.entries()),
      }),
    };
  }

  #listCombinations({ id, calibration, combinationSizes, splits }: DiagnosedTarget): void {
    const { rows, warning } = combinationRows(calibration, combinationSizes, splits);
    this.#combinations.push(...rows.map((row) => ({ dataset: this.dataset, target: id, ...row })));
    if (warning !== null) this.warnings.push(`${this.dataset}, ${id}: ${warning}`);
  }

  /** Loss (of the first split), reintroduction, sensitivity to M, and weights by margin on one split. */
  #addSplit(target: DiagnosedTarget, { seed, calibration, evaluation }: RowSplit): void {
    const { aligned, id } = target;
    const split = target.calibration.open(calibration);
    const measure = measurer(eceEvaluator(aligned.targetLogits, evaluation, aligned.labels, this.suite.binning));
    const sample = (x: number, outcome: TemperatureOutcome) => ({
      target: id,
      seed,
      x,
      outcome,
      ece: measure(outcome),
      calibrationCount: split.count,
    });
    const curves = [
      { series: { weights: 'unit' as const, combinationSize: null }, given: unitWeights(split) },
      ...this.#sizes(target.combinationSizes).map((combinationSize) => {
        const given = supportWeights(split, combinationSize);
        this.#margins.add(id, combinationSize, disagreementMargins(split, given.weights));
        return { series: { weights: 'supportcal' as const, combinationSize }, given };
      }),
    ];
    if (seed === target.splits[0]?.seed) {
      const rows = lossRows(split, target.combinationSizes);
      this.#loss.push(...rows.map((row) => ({ dataset: this.dataset, target: id, seed, ...row })));
    }
    const reintroduced = reintroduction(split, seed);
    for (const { series, given } of curves) {
      for (const x of INCLUSION_FRACTIONS)
        this.#reintroduction.add(series, sample(x, split.fit(reintroduced(given, x))));
    }
    for (let size = 1; size <= aligned.references.length; size++)
      this.#sensitivity.add({}, sample(size, split.fit(supportWeights(split, size))));
  }

  /** Basic diagnostics follow the smallest M alone. */
  #sizes(combinationSizes: readonly number[]): readonly number[] {
    return this.suite.diagnostics === 'full'
      ? combinationSizes
      : combinationSizes.toSorted((a, b) => a - b).slice(0, 1);
  }

  #only(combinationSizes: readonly number[]) {
    if (this.suite.diagnostics === 'full') return undefined;
    return { methods: SAMPLE_SIZE_METHODS, combinationSizes: this.#sizes(combinationSizes) };
  }

  /** Every method at every calibration fraction, measured on the examples that the largest fraction leaves. */
  #addSampleSizes({ id, aligned, calibration, combinationSizes, splitAt }: DiagnosedTarget, seed: number): void {
    const { evaluation } = splitAt(seed, Math.max(...CALIBRATION_FRACTIONS));
    const held = new Uint8Array(calibration.disagreement.length);
    for (const row of evaluation) held[row] = 1;
    const measure = eceEvaluator(aligned.targetLogits, evaluation, aligned.labels, this.suite.binning);
    for (const x of CALIBRATION_FRACTIONS) {
      const rows = splitAt(seed, x).calibration.filter((row) => held[row] === 0);
      for (const each of calibration.fit(rows, this.#only(combinationSizes)).outcomes) {
        const beta = inverseTemperatureOf(each);
        this.#sampleSize.add(
          { method: each.method, combinationSize: each.combinationSize },
          {
            target: id,
            seed,
            x,
            outcome: each.outcome,
            calibrationCount: rows.length,
            ece: beta === null ? null : measure(beta),
          },
        );
      }
    }
  }
}

function supportWeights(split: CalibrationSplit, combinationSize: number) {
  return split.weigh(SUPPORTCAL, split.select(combinationSize)?.references ?? null);
}

function measurer(eceAt: (beta: number) => number | null): (outcome: TemperatureOutcome) => number | null {
  return (outcome) => {
    if (outcome.kind === 'none') return null;
    return eceAt(outcome.kind === 'finite' ? outcome.inverseTemperature : 0);
  };
}
