import type { TeacherAlignment } from '../calibration/fit/teacher-alignment.js';
import { type Binning, DEFAULT_BINNING } from '../metrics/bins/binning.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import { matchedRefitter } from './matched-refitter.js';
import { confidenceAt, type Refit, refitter, unfitted } from './refitter.js';
import { type ResampleDesign, type ResampledSplit, resampledSplits } from './resampled-splits.js';
import { shiftedAnswers, splitMeasurer } from './shifted-answers.js';

/** Name and version of the resampling, for reports. */
export const RESAMPLING_GENERATOR = 'nested-multinomial/xoroshiro128plus/1';

/** How intervals and p-values come about, for reports. */
export const RESAMPLING_RULE =
  'intervals of the ECE by inversion of tests, with the total standard error of a nested bootstrap (examples, splits, refitted temperatures); studentised paired test of signed errors; Holm-adjusted p-values';

/** One method on N rows of one target, to be refitted on every split of every resample. */
export type ResampledMethod =
  | {
      readonly kind: 'fitted';
      /** Alignment of all N rows with their teacher. */
      readonly alignment: TeacherAlignment;
      /**
       * N rows, each less its largest, of a distribution that the temperature is put on in place of the alignment's
       * gaps (CAPE's).
       */
      readonly applied?: RaggedRows;
      /** N weights of Eq. (weights) for the calibration side: one of a few arrays, each always the same object. */
      readonly weigh: (split: ResampledSplit) => Float64Array;
      readonly correct: Int8Array;
    }
  | {
      /** The mean confidence is set to a mean accuracy. */
      readonly kind: 'matched';
      /** N rows of the target, each less its largest. */
      readonly gaps: RaggedRows;
      /** N shares, whose mean over a calibration side is that accuracy. */
      readonly accuracies: Float64Array;
      /** N flags of rows that no fit takes; null or absent when there are none. */
      readonly certain?: Uint8Array | null;
      readonly correct: Int8Array;
    }
  | {
      /** No temperature is fitted: vanilla, CAPE, elicitation. */
      readonly kind: 'fixed';
      readonly confidences: Float64Array;
      /** N: 1 right, 0 wrong, -1 not to be measured (no label, no answer). */
      readonly correct: Int8Array;
    };

/** The bootstrap of one method. */
export interface NestedResamples {
  /** ECE of the likely true gaps of all N rows at the temperature of all N rows: the truth of the resampled world. */
  readonly level: number;
  /** Per resample the mean ECE over its splits; NaN where no split has one. */
  readonly eces: Float64Array;
  /**
   * sum_n sign_n (conf_n - right_n) / N of all rows, the sign being that of the likely gap: ECE where signs are known.
   */
  readonly signed: number;
  /** N: those signs; 0 where nothing is measured. */
  readonly signs: Float64Array;
  /** Per resample the mean of the same over its splits. */
  readonly signedMeans: Float64Array;
  /** Mean confidence minus accuracy of all rows, and per resample the mean of it over its splits. */
  readonly overconfidence: number;
  readonly overconfidences: Float64Array;
  /** Refits that went the general path, of resamples x splits. */
  readonly generalFits: number;
}

/**
 * Nested bootstrap of the mean ECE over splits, Eq. (ece), from the examples on (Efron 1979): clusters are drawn,
 * split, every temperature is refitted (`refitter`), and ECE is taken on the other side, with multiplicities as
 * weights, so that no row is moved. Answers are those of `shiftedAnswers`, bins those of `binFinder`. The deviation of
 * `eces` is the total standard error of a mean over as many splits.
 */
export function nestedBootstrap(
  methods: readonly ResampledMethod[],
  design: ResampleDesign,
  binning: Binning = DEFAULT_BINNING,
): NestedResamples[] {
  const rowCount = design.clusters.length;
  const all = Int32Array.from({ length: rowCount }, (_, n) => n);
  const whole = { calibration: all, evaluation: all, counts: new Float64Array(rowCount).fill(1) };
  const runs = methods.map((method) => methodRun(method, whole, design, binning));
  const last = design.splits - 1;
  resampledSplits(design, (split, resample, splitNumber) => {
    for (const run of runs) {
      run.add(split);
      if (splitNumber === last) run.end(resample);
    }
  });
  return runs.map(({ result }) => result());
}

interface MethodRun {
  readonly add: (split: ResampledSplit) => void;
  /** The last split of this resample was added. */
  readonly end: (resample: number) => void;
  readonly result: () => NestedResamples;
}

function methodRun(
  method: ResampledMethod,
  whole: ResampledSplit,
  design: ResampleDesign,
  binning: Binning,
): MethodRun {
  const refit = refitOf(method, design.calibrationFraction);
  const fit = refit(whole);
  const confidences =
    method.correct.length === 0 || fit === null
      ? null
      : Float64Array.from(method.correct, (_, n) => confidenceAt(fit, n));
  const world = shiftedAnswers(
    confidences ?? new Float64Array(0),
    confidences === null ? new Int8Array(0) : method.correct,
    binning,
  );
  const measure = splitMeasurer(world, method.correct, binning.bins);
  const atWhole = fit === null ? NOTHING : measure(whole, fit).slice();
  const means = [0, 1, 2].map(() => new Float64Array(design.resamples));
  const sums = new Float64Array(3);
  let [used, general] = [0, 0];
  return {
    add(split) {
      const found = refit(split);
      general += found?.general ?? 1;
      const measured = found === null ? NOTHING : measure(split, found);
      if (Number.isNaN(measured[0])) return;
      for (const [i, value] of measured.entries()) sums[i] = (sums[i] ?? 0) + value;
      used++;
    },
    end(resample) {
      for (const [i, mean] of means.entries()) mean[resample] = (sums[i] ?? 0) / used;
      sums.fill(0);
      used = 0;
    },
    result: () => ({
      level: world.level,
      eces: means[0] ?? NOTHING,
      signed: atWhole[1] ?? 0,
      signs: world.signs,
      signedMeans: means[1] ?? NOTHING,
      overconfidence: atWhole[2] ?? 0,
      overconfidences: means[2] ?? NOTHING,
      generalFits: general,
    }),
  };
}

const NOTHING = new Float64Array(3).fill(Number.NaN);

function refitOf(method: ResampledMethod, calibrationFraction: number): (split: ResampledSplit) => Refit | null {
  if (method.kind === 'fixed') {
    const fixed = unfitted(method.confidences);
    return () => fixed;
  }
  if (method.kind === 'matched')
    return matchedRefitter(method.gaps, method.accuracies, calibrationFraction, method.certain);
  const refit = refitter(method.alignment, calibrationFraction, method.applied);
  return (split) => refit(method.weigh(split), split);
}
