import { firstFrom } from '../../numeric/quantile.js';
import { roundedSignal, type SignalSketch } from './signal-sketch.js';

/** How one number of new questions is distributed, against those of the fit. */
export interface SignalTest {
  /** New questions of which it is known. */
  readonly rows: number;
  /** Largest distance of the two distribution functions, in [0, 1]. */
  readonly distance: number;
  readonly pValue: number;
  /** Medians; that of the new questions to the nearest number of the fit. */
  readonly median: number;
  readonly fitMedian: number;
}

/**
 * A window of new numbers, counted in the cells that the numbers of a sketch make: constant memory, whatever its
 * length.
 */
export class SignalWindow {
  readonly #points: readonly number[];
  /** Share of the sketch below each point, and at or below it. */
  readonly #below: readonly number[];
  readonly #upTo: readonly number[];
  /** Cell 2j: between point j - 1 and point j; cell 2j + 1: at point j. */
  readonly #counts: number[];
  #rows: number;

  /** @param counts of an earlier window that goes on; default: a new one */
  constructor(
    private readonly sketch: SignalSketch,
    counts?: readonly number[],
  ) {
    const { values } = sketch;
    this.#points = [...new Set(values)];
    const firstOf = new Map(values.map((value, i) => [value, i] as const).reverse());
    const lastOf = new Map(values.map((value, i) => [value, i] as const));
    this.#below = this.#points.map((point) => (firstOf.get(point) ?? 0) / values.length);
    this.#upTo = this.#points.map((point) => ((lastOf.get(point) ?? 0) + 1) / values.length);
    const cells = 2 * this.#points.length + 1;
    this.#counts = counts?.length === cells ? [...counts] : new Array<number>(cells).fill(0);
    this.#rows = this.#counts.reduce((sum, count) => sum + count, 0);
  }

  get rows(): number {
    return this.#rows;
  }

  get counts(): readonly number[] {
    return this.#counts;
  }

  /** NaN: not known of this question. */
  add(value: number): void {
    if (Number.isNaN(value)) return;
    const rounded = roundedSignal(value);
    const place = firstFrom(this.#points, rounded);
    const cell = this.#points[place] === rounded ? 2 * place + 1 : 2 * place;
    this.#counts[cell] = (this.#counts[cell] ?? 0) + 1;
    this.#rows += 1;
  }

  /**
   * The two-sample test of Kolmogorov (1933) and Smirnov (1939) of the window against the fit. The p-value is that of
   * the limit law with the correction of Stephens (1970); ties make it larger, never smaller. What quantiles leave out
   * of a longer sample is taken off the distance.
   */
  test(): SignalTest {
    const { rows: fitted, values } = this.sketch;
    const rows = this.#rows;
    let [distance, seen, median] = [0, 0, Number.NaN];
    for (const [j, point] of this.#points.entries()) {
      seen += this.#counts[2 * j] ?? 0;
      if (Number.isNaN(median) && 2 * seen >= rows) median = point;
      distance = Math.max(distance, Math.abs(seen / rows - (this.#below[j] ?? 0)));
      seen += this.#counts[2 * j + 1] ?? 0;
      if (Number.isNaN(median) && 2 * seen >= rows) median = point;
      distance = Math.max(distance, Math.abs(seen / rows - (this.#upTo[j] ?? 0)));
    }
    const size = Math.sqrt((fitted * rows) / (fitted + rows));
    const certain = Math.max(0, distance - (values.length < fitted ? 1 / values.length : 0));
    return {
      rows,
      distance,
      pValue: rows === 0 ? 1 : kolmogorovTail((size + 0.12 + 0.11 / size) * certain),
      median: Number.isNaN(median) ? (this.#points.at(-1) ?? Number.NaN) : median,
      fitMedian: values[values.length >> 1] ?? Number.NaN,
    };
  }
}

/** P(K > x) of the law of Kolmogorov (1933): 2 sum over k >= 1 of (-1)^(k - 1) exp(-2 k^2 x^2). */
export function kolmogorovTail(x: number): number {
  // Below, the sum needs ever more terms and is 1 to the last bit that matters.
  if (x < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k++) {
    const term = Math.exp(-2 * k * k * x * x);
    sum += k % 2 === 1 ? term : -term;
    if (term < 1e-17) break;
  }
  return Math.min(1, Math.max(0, 2 * sum));
}
