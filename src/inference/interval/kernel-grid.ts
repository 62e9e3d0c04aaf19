/** Equal cells of confidence from 0 to 1, with how the kernel of smooth ECE spreads each over its neighbours. */
export interface KernelGrid {
  /** F. */
  readonly cells: number;
  /** D: cell j gets from the cells j - D to j + D. */
  readonly reach: number;
  /** F rows of 2D + 1 weights; what a cell gives away sums to 1. */
  readonly weights: Float64Array;
}

/** Deviations of the kernel that are kept, and where relplot ends it. */
const KEPT = 4;
const ENDS = 0.5;

/**
 * The Gaussian kernel of smECE (Blasiok and Nakkiran 2024, Def. 6) on a grid, mirrored at 0 and 1: what would fall
 * outside lands on its mirror image.
 *
 * @param bandwidth above 0; not much below half a cell
 */
export function kernelGrid(cells: number, bandwidth: number): KernelGrid {
  const reach = Math.min(Math.ceil(KEPT * bandwidth * cells), Math.floor(ENDS * cells), cells - 1);
  const taps = Float64Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-(((i - reach) / cells / bandwidth) ** 2) / 2),
  );
  const total = taps.reduce((sum, tap) => sum + tap, 0);
  const width = 2 * reach + 1;
  const weights = new Float64Array(cells * width);
  for (let j = 0; j < cells; j++) {
    for (const [i, tap] of taps.entries()) {
      const cell = mirrored(j + i - reach, cells);
      const at = j * width + cell - j + reach;
      weights[at] = (weights[at] ?? 0) + tap / total;
    }
  }
  return { cells, reach, weights };
}

/** Values of the cells, each spread by the kernel (Blasiok and Nakkiran 2024); `power` 2 takes the squared weights. */
export function spread(
  { cells, reach, weights }: KernelGrid,
  values: ArrayLike<number>,
  power: 1 | 2 = 1,
): Float64Array {
  const width = 2 * reach + 1;
  const result = new Float64Array(cells);
  for (let j = 0; j < cells; j++) {
    const [first, last] = [Math.max(0, j - reach), Math.min(cells - 1, j + reach)];
    let sum = 0;
    for (let f = first; f <= last; f++) {
      const weight = weights[j * width + f - j + reach]!;
      sum += (power === 1 ? weight : weight * weight) * values[f]!;
    }
    result[j] = sum;
  }
  return result;
}

/** Per cell the weighted sum of values over the cells that it is spread over (Blasiok and Nakkiran 2024). */
export function gathered({ cells, reach, weights }: KernelGrid, values: ArrayLike<number>): Float64Array {
  const width = 2 * reach + 1;
  const result = new Float64Array(cells);
  for (let j = 0; j < cells; j++) {
    const last = Math.min(cells - 1, j + reach);
    for (let f = Math.max(0, j - reach); f <= last; f++)
      result[f] = result[f]! + weights[j * width + f - j + reach]! * values[j]!;
  }
  return result;
}

/**
 * Correlations of the spread noise of cell j with those of j - 2D to j + 2D, F rows of 4D + 1; each cell has noise of
 * its own, of a given variance (Isserlis 1918 for what is linear in it). 0 where nothing is known.
 */
export function spreadCorrelations(grid: KernelGrid, variances: Float64Array): Float64Array {
  const { cells, reach, weights } = grid;
  const width = 2 * reach + 1;
  const total = spread(grid, variances, 2);
  const rows = new Float64Array(cells * (4 * reach + 1));
  for (let j = 0; j < cells; j++) {
    for (let k = j; k <= Math.min(cells - 1, j + 2 * reach); k++) {
      let sum = 0;
      for (let f = Math.max(0, k - reach); f <= Math.min(cells - 1, j + reach); f++) {
        sum += weights[j * width + f - j + reach]! * weights[k * width + f - k + reach]! * variances[f]!;
      }
      const scale = Math.sqrt(total[j]! * total[k]!);
      const correlation = scale > 0 ? Math.min(1, sum / scale) : 0;
      rows[j * (4 * reach + 1) + k - j + 2 * reach] = correlation;
      rows[k * (4 * reach + 1) + j - k + 2 * reach] = correlation;
    }
  }
  return rows;
}

function mirrored(cell: number, cells: number): number {
  if (cell < 0) return -1 - cell;
  return cell >= cells ? 2 * cells - 1 - cell : cell;
}
