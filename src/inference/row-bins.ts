import { BinTally } from '../metrics/bins/bin-tally.js';
import { type Binning, binIndex } from '../metrics/bins/binning.js';
import { equalMassSize } from '../metrics/bins/equal-mass-bins.js';

/** The bin of example n at a confidence. */
export type FindBin = (n: number, confidence: number) => number;

/**
 * Where resamples put examples among the bins of Eq. (ece). Equal-width bins: by the confidence that a refit gives.
 * Equal-mass bins (Nguyen and O'Connor 2015): where the example stands at the fit to all rows, since their edges move
 * with the temperature and the order of the examples hardly does; equal confidences share one bin, the middle one.
 *
 * @param measured rows that are measured
 */
export function binFinder(
  confidences: Float64Array,
  measured: Int32Array,
  { bins, binEdges, edgeRule }: Binning,
): FindBin {
  if (binEdges === 'equal-mass') {
    const binOfRow = equalMassRows(confidences, measured, bins);
    return (n) => binOfRow[n]!;
  }
  const { edges } = new BinTally(bins, edgeRule);
  if (edgeRule === 'right-owned') return (_, confidence) => binIndex(confidence, edges, true);
  return (_, confidence) => binIndex(confidence, edges, false);
}

function equalMassRows(confidences: Float64Array, measured: Int32Array, bins: number): Int32Array {
  const order = measured.toSorted((a, b) => confidences[a]! - confidences[b]! || a - b);
  const ends: number[] = [];
  for (let b = 0; b < bins; b++) ends.push((ends.at(-1) ?? 0) + equalMassSize(b, order.length, bins));
  const binOfRow = new Int32Array(confidences.length);
  for (let first = 0; first < order.length; ) {
    let last = first;
    while (last + 1 < order.length && confidences[order[last + 1]!] === confidences[order[first]!]) last++;
    const bin = ends.findIndex((end) => (first + last) / 2 < end);
    for (let i = first; i <= last; i++) binOfRow[order[i]!] = bin;
    first = last + 1;
  }
  return binOfRow;
}
