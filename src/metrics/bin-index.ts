/** The rule of all equal-width bins, in words for reports. */
export const BIN_RULE =
  'equal-width bins with edges i x (1/B) in float64; a bin owns its left edge, the last bin owns 1.0 (as netcal)';

/** Left edge of bin i of B: i x (1/B) in float64, as numpy.linspace(0, 1, B + 1) gives it; edge B is 1. */
export function binEdge(i: number, binCount: number): number {
  return i === binCount ? 1 : i * (1 / binCount);
}

/** The bin of a confidence in [0, 1] among B + 1 ascending edges: the last bin whose left edge is not above it. */
export function binIndex(confidence: number, edges: Float64Array): number {
  const last = edges.length - 2;
  let bin = Math.min(Math.floor(confidence * (last + 1)), last);
  while (bin > 0 && confidence < edges[bin]!) bin--;
  while (bin < last && confidence >= edges[bin + 1]!) bin++;
  return bin;
}
