import type { TeacherAlignment } from '../calibration/fit/teacher-alignment.js';
import { expOfGap } from '../numeric/exp-of-gap.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';

/** Cubics per example: numbers 4n .. 4n + 3 are the coefficients of 1, x, x^2, x^3, x in [-1, 1]. */
export type Cubics = Float64Array;

/** The logarithm of an inverse temperature as center + reach x. */
export interface LogRange {
  readonly center: number;
  readonly reach: number;
}

/** What a refit and an evaluation need of N examples near one temperature. */
export interface MethodCurves {
  readonly range: LogRange;
  /** w_n (E_q[d_n] - a_n), the summands of L' in Eq. (firstderiv). */
  readonly slopes: Cubics;
  /** Confidences 1 / sum_k exp(beta d_n[k]). */
  readonly confidences: Cubics;
}

/** Chebyshev's nodes, where a cubic through four points errs least. */
const NODES = [1, 3, 5, 7].map((odd) => Math.cos((odd * Math.PI) / 8));

/**
 * Cubic interpolation in ln(beta) (Chebyshev's nodes; Press et al. 2007, Sec. 5.8) of every example's share of L', Eq.
 * (firstderiv), and of its confidence: a sum of cubics is a cubic, so that a weighted refit needs four sums and no
 * exponential.
 *
 * @param applied rows less their largest that the temperature is put on: the gaps d_n[k] = z_n[k] - max z_n, or those
 *   of another distribution
 */
export function methodCurves(
  { gaps, teacherMeans }: Pick<TeacherAlignment, 'gaps' | 'teacherMeans'>,
  weights: Float64Array,
  range: LogRange,
  applied: RaggedRows,
): MethodCurves {
  return {
    range,
    slopes: slopeCubics({ gaps, teacherMeans }, weights, range),
    confidences: confidenceCubics(applied, range),
  };
}

/** The cubics of every example's share of L', Eq. (firstderiv), alone. */
export function slopeCubics(
  { gaps, teacherMeans }: Pick<TeacherAlignment, 'gaps' | 'teacherMeans'>,
  weights: Float64Array,
  range: LogRange,
): Cubics {
  const slopes = new Float64Array(4 * gaps.rowCount);
  for (let j = 0; j < NODES.length; j++) {
    const beta = betaAt(range, j);
    for (let n = 0; n < gaps.rowCount; n++)
      slopes[4 * n + j] = weights[n]! * (meanAt(gaps, n, beta) - teacherMeans[n]!);
  }
  toCoefficients(slopes);
  return slopes;
}

/** The cubics of confidences 1 / sum_k exp(beta d_n[k]) (Guo et al. 2017) alone. */
export function confidenceCubics(gaps: RaggedRows, range: LogRange): Cubics {
  const confidences = new Float64Array(4 * gaps.rowCount);
  for (let j = 0; j < NODES.length; j++) {
    const beta = betaAt(range, j);
    for (let n = 0; n < gaps.rowCount; n++) confidences[4 * n + j] = confidenceAtBeta(gaps, n, beta);
  }
  toCoefficients(confidences);
  return confidences;
}

function betaAt({ center, reach }: LogRange, node: number): number {
  return Math.exp(center + reach * NODES[node]!);
}

/**
 * Confidences 1 / sum_k exp(beta d_n[k]) (Guo et al. 2017) of all rows, 1 / K at beta = 0, as cubics that do not vary.
 */
export function fixedConfidences(gaps: RaggedRows, beta: number): Cubics {
  const confidences = new Float64Array(4 * gaps.rowCount);
  for (let n = 0; n < gaps.rowCount; n++) confidences[4 * n] = confidenceAtBeta(gaps, n, beta);
  return confidences;
}

/**
 * The x in [-1, 1] where a rising cubic is 0: Newton (Press et al. 2007, Sec. 9.4) from 0; null where there is none or
 * it is not found.
 */
export function rootOfCubic(a: number, b: number, c: number, d: number): number | null {
  let x = 0;
  for (let i = 0; i < 20; i++) {
    const step = (a + x * (b + x * (c + x * d))) / (b + x * (2 * c + 3 * x * d));
    x -= step;
    if (!(Math.abs(x) <= 1)) return null;
    if (Math.abs(step) < 1e-10) return x;
  }
  return null;
}

/** E_q[d_n] at q = softmax(beta d_n). */
function meanAt({ offsets, values }: RaggedRows, n: number, beta: number): number {
  let [total, first] = [0, 0];
  const end = offsets[n + 1]!;
  for (let k = offsets[n]!; k < end; k++) {
    const gap = values[k]!;
    const mass = expOfGap(beta * gap);
    total += mass;
    first += mass * gap;
  }
  return first / total;
}

function confidenceAtBeta({ offsets, values }: RaggedRows, n: number, beta: number): number {
  let total = 0;
  const end = offsets[n + 1]!;
  for (let k = offsets[n]!; k < end; k++) total += expOfGap(beta * values[k]!);
  return 1 / total;
}

/** cos(m theta_j) / 2, and / 4 for m = 0, of the nodes: row by row for the Chebyshev sums c_0 .. c_3. */
const COSINES = Float64Array.from({ length: 16 }, (_, i) => {
  const [m, odd] = [i >> 2, 2 * (i & 3) + 1];
  return Math.cos((m * odd * Math.PI) / 8) / (m === 0 ? 4 : 2);
});

/** Values at the nodes become coefficients: the Chebyshev sums c_m, then 1, x, 2x^2 - 1, 4x^3 - 3x multiplied out. */
function toCoefficients(cubics: Cubics): void {
  for (let at = 0; at < cubics.length; at += 4) {
    const c0 = chebyshevSum(cubics, at, 0);
    const c1 = chebyshevSum(cubics, at, 1);
    const c2 = chebyshevSum(cubics, at, 2);
    const c3 = chebyshevSum(cubics, at, 3);
    cubics[at] = c0 - c2;
    cubics[at + 1] = c1 - 3 * c3;
    cubics[at + 2] = 2 * c2;
    cubics[at + 3] = 4 * c3;
  }
}

function chebyshevSum(values: Cubics, at: number, m: number): number {
  let sum = 0;
  for (let j = 0; j < 4; j++) sum += COSINES[4 * m + j]! * values[at + j]!;
  return sum;
}
