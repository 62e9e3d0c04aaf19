import { fitTemperature } from '../calibration/fit-temperature.js';
import type { TeacherAlignment } from '../calibration/teacher-alignment.js';
import { BinTally } from '../metrics/bin-tally.js';
import { binIndex } from '../metrics/binning.js';
import { type Cubics, fixedConfidences, type MethodCurves, methodCurves, rootOfCubic } from './method-curves.js';
import { type ResampleDesign, type ResampledSplit, resampledSplits } from './resampled-splits.js';
import { type ShiftedAnswers, shiftedAnswers } from './shifted-answers.js';

/** One method on N rows of one target, to be refitted on every split of every resample. */
export type ResampledMethod =
  | {
      readonly kind: 'fitted';
      readonly alignment: TeacherAlignment;
      /** N weights of Eq. (weights) for the calibration side: one of a few arrays, each always the same object. */
      readonly weigh: (split: ResampledSplit) => Float64Array;
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
  /** sum_n sign_n (conf_n - right_n) / N of all rows, the sign being that of the likely gap: ECE where signs are known. */
  readonly signed: number;
  /** N: those signs; 0 where nothing is measured. */
  readonly signs: Float64Array;
  /** Per resample the mean of the same over its splits. */
  readonly signedMeans: Float64Array;
  /** Mean confidence minus accuracy of all rows, and per resample the mean of it over its splits. */
  readonly overconfidence: number;
  readonly overconfidences: Float64Array;
  /** Refits that left the range of the cubics and went the general path. */
  readonly generalFits: number;
}

/**
 * Nested bootstrap of the mean ECE over splits, Eq. (ece), from the examples on (Efron 1979): clusters are drawn, split, every temperature is refitted,
 * and ECE is taken on the other side, with multiplicities as weights, so that no row is moved. Refits are roots of a sum of cubics
 * (`methodCurves`); one that leaves their range, and an infinite one, goes the general path. Residuals are those of `shiftedAnswers`. Ten equal-width
 * bins by default, left-owned. The deviation of `eces` is the total standard error of a mean over as many splits.
 */
export function nestedBootstrap(
  methods: readonly ResampledMethod[],
  design: ResampleDesign,
  binCount = 10,
): NestedResamples[] {
  const rowCount = design.clusters.length;
  const all = Int32Array.from({ length: rowCount }, (_, n) => n);
  const whole = { calibration: all, evaluation: all, counts: new Float64Array(rowCount).fill(1) };
  const runs = methods.map((method) => new MethodRun(method, whole, { design, binCount }));
  resampledSplits(design, (split, r, s) => {
    for (const run of runs) run.add(split, r, s);
  });
  return runs.map((run) => run.result());
}

interface RunOptions {
  readonly design: ResampleDesign;
  readonly binCount: number;
}

/** A refit: a place on the cubics, or confidences of its own. */
type Refit = { readonly cubics: Cubics; readonly x: number };

class MethodRun {
  readonly #method: ResampledMethod;
  readonly #options: RunOptions;
  readonly #world: ShiftedAnswers;
  readonly #edges: Float64Array;
  readonly #sums: Float64Array;
  readonly #eces: Float64Array;
  readonly #fixed: Cubics;
  readonly #curves = new Map<Float64Array, MethodCurves | null>();
  #generalFits = 0;
  readonly #signedMeans: Float64Array;
  readonly #overconfidences: Float64Array;
  readonly #whole: readonly [signed: number, overconfidence: number];
  #signed = 0;
  #overconfidence = 0;
  #sum = 0;
  #signedSum = 0;
  #overconfidenceSum = 0;
  #used = 0;

  constructor(method: ResampledMethod, whole: ResampledSplit, options: RunOptions) {
    this.#method = method;
    this.#options = options;
    this.#edges = new BinTally(options.binCount).edges;
    this.#sums = new Float64Array(options.binCount);
    this.#eces = new Float64Array(options.design.resamples);
    this.#signedMeans = new Float64Array(options.design.resamples);
    this.#overconfidences = new Float64Array(options.design.resamples);
    this.#fixed = method.kind === 'fixed' ? constantCubics(method.confidences) : new Float64Array(0);
    const fit = this.#refit(whole);
    const confidences = fit === null ? new Float64Array(0) : confidencesAt(fit);
    this.#world = shiftedAnswers(confidences, fit === null ? new Int8Array(0) : method.correct, options.binCount);
    if (fit !== null) this.#eceOf(whole, fit);
    this.#whole = [this.#signed, this.#overconfidence];
  }

  /** Adds one split of a resample; splits come in order. */
  add(split: ResampledSplit, resample: number, splitNumber: number): void {
    if (splitNumber === 0) [this.#sum, this.#signedSum, this.#overconfidenceSum, this.#used] = [0, 0, 0, 0];
    const fit = this.#refit(split);
    const ece = fit === null ? Number.NaN : this.#eceOf(split, fit);
    if (!Number.isNaN(ece)) {
      this.#sum += ece;
      this.#signedSum += this.#signed;
      this.#overconfidenceSum += this.#overconfidence;
      this.#used++;
    }
    if (splitNumber < this.#options.design.splits - 1) return;
    this.#eces[resample] = this.#sum / this.#used;
    this.#signedMeans[resample] = this.#signedSum / this.#used;
    this.#overconfidences[resample] = this.#overconfidenceSum / this.#used;
  }

  result(): NestedResamples {
    return {
      level: this.#world.level,
      eces: this.#eces,
      signed: this.#whole[0],
      signs: this.#world.signs,
      signedMeans: this.#signedMeans,
      overconfidence: this.#whole[1],
      overconfidences: this.#overconfidences,
      generalFits: this.#generalFits,
    };
  }

  #refit(split: ResampledSplit): Refit | null {
    const method = this.#method;
    if (method.kind === 'fixed') return { cubics: this.#fixed, x: 0 };
    const weights = method.weigh(split);
    let curves = this.#curves.get(weights);
    if (curves === undefined) {
      curves = curvesOf(method.alignment, weights, this.#options.design.calibrationFraction);
      this.#curves.set(weights, curves);
    }
    const x = curves === null ? null : refitted(curves.slopes, split);
    if (curves !== null && x !== null) return { cubics: curves.confidences, x };
    this.#generalFits++;
    return generalFit(method.alignment, weights, split);
  }

  /** sum_b |sum_n m_n (conf_n - answer_n)| / sum_n m_n. */
  #eceOf({ evaluation, counts }: ResampledSplit, { cubics, x }: Refit): number {
    const sums = this.#sums.fill(0);
    const { answers, signs } = this.#world;
    const { correct } = this.#method;
    let [total, signed, over] = [0, 0, 0];
    for (let i = 0; i < evaluation.length; i++) {
      const n = evaluation[i] ?? 0;
      const answer = answers[n] ?? Number.NaN;
      if (Number.isNaN(answer)) continue;
      const count = counts[n] ?? 0;
      const confidence = cubicAt(cubics, n, x);
      const bin = binIndex(confidence, this.#edges, false);
      sums[bin] = (sums[bin] ?? 0) + count * (confidence - answer);
      const gap = count * (confidence - (correct[n] ?? 0));
      signed += (signs[n] ?? 0) * gap;
      over += gap;
      total += count;
    }
    this.#signed = signed / total;
    this.#overconfidence = over / total;
    return sums.reduce((sum, each) => sum + Math.abs(each), 0) / total;
  }
}

function cubicAt(cubics: Cubics, n: number, x: number): number {
  const at = 4 * n;
  return (cubics[at] ?? 0) + x * ((cubics[at + 1] ?? 0) + x * ((cubics[at + 2] ?? 0) + x * (cubics[at + 3] ?? 0)));
}

function confidencesAt({ cubics, x }: Refit): Float64Array {
  return Float64Array.from({ length: cubics.length / 4 }, (_, n) => cubicAt(cubics, n, x));
}

function constantCubics(values: Float64Array): Cubics {
  const cubics = new Float64Array(4 * values.length);
  for (const [n, value] of values.entries()) cubics[4 * n] = value;
  return cubics;
}

/** Root of the weighted sum of the slopes over the calibration side. */
function refitted(slopes: Cubics, { calibration, counts }: ResampledSplit): number | null {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < calibration.length; i++) {
    const n = calibration[i] ?? 0;
    const count = counts[n] ?? 0;
    a += count * (slopes[4 * n] ?? 0);
    b += count * (slopes[4 * n + 1] ?? 0);
    c += count * (slopes[4 * n + 2] ?? 0);
    d += count * (slopes[4 * n + 3] ?? 0);
  }
  return rootOfCubic(a, b, c, d);
}

/** Deviations of ln(beta) that the cubics span, and their least and largest span. */
const SPANNED = 5;
const [LEAST_REACH, MOST_REACH] = [0.05, 1];

/** Cubics around the fit to all rows, as far as refits will scatter; null where that fit is not finite. */
function curvesOf(
  alignment: TeacherAlignment,
  weights: Float64Array,
  calibrationFraction: number,
): MethodCurves | null {
  const outcome = fitTemperature(alignment, weights);
  if (outcome.kind !== 'finite') return null;
  const center = Math.log(outcome.inverseTemperature);
  const curves = (reach: number) => methodCurves(alignment.gaps, weights, alignment.teacherMeans, { center, reach });
  const first = curves(LEAST_REACH).slopes;
  let [square, rise] = [0, 0];
  for (let at = 0; at < first.length; at += 4) {
    square += (first[at] ?? 0) ** 2;
    rise += (first[at + 1] ?? 0) / LEAST_REACH;
  }
  const deviation = Math.sqrt(square / calibrationFraction) / rise;
  return curves(Math.min(MOST_REACH, Math.max(LEAST_REACH, SPANNED * deviation)));
}

/** The fit of `fitTemperature` to the calibration side. */
function generalFit(alignment: TeacherAlignment, weights: Float64Array, split: ResampledSplit): Refit | null {
  const counted = new Float64Array(weights.length);
  for (const n of split.calibration) counted[n] = (weights[n] ?? 0) * (split.counts[n] ?? 0);
  const outcome = fitTemperature(alignment, counted);
  if (outcome.kind === 'none') return null;
  const beta = outcome.kind === 'infinite' ? 0 : outcome.inverseTemperature;
  return { cubics: fixedConfidences(alignment.gaps, beta), x: 0 };
}
