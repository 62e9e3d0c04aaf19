/** Edges of the bins: i/B, or so that every bin holds N/B examples. */
export type BinEdges = 'equal-width' | 'equal-mass';

/**
 * Which bin owns a confidence on an edge. `left-owned`: [e_i, e_i+1), the last bin owns 1 too (netcal, and DACA's
 * published code). `right-owned`: (e_i, e_i+1], the first bin owns 0 too (Guo et al. 2017, who drop 0; Kumar et al.
 * 2019).
 */
export type EdgeRule = 'left-owned' | 'right-owned';

/** How confidences are put into bins. */
export interface Binning {
  /** B, at least 1. */
  readonly bins: number;
  readonly binEdges: BinEdges;
  /** Matters to equal-width bins only. */
  readonly edgeRule: EdgeRule;
}

export const DEFAULT_BINNING: Binning = { bins: 10, binEdges: 'equal-width', edgeRule: 'left-owned' };

const WIDTH_RULE = 'equal-width bins with edges i x (1/B) in float64';
const EQUAL_WIDTH: Record<EdgeRule, string> = {
  'left-owned': `${WIDTH_RULE}; a bin owns its left edge, the last bin owns 1.0 (left-owned, as netcal)`,
  'right-owned': `${WIDTH_RULE}; a bin owns its right edge, the first bin owns 0.0 (right-owned, as Guo et al. 2017)`,
};

/** The rule of the bins of Eq. (ece) in words, for reports. */
export function binRule({ binEdges, edgeRule }: Omit<Binning, 'bins'>): string {
  if (binEdges === 'equal-width') return EQUAL_WIDTH[edgeRule];
  return `equal-mass bins of N/B examples by confidence, equal confidences on a border share their accuracy; classwise ECE and Brier parts: ${EQUAL_WIDTH[edgeRule]}`;
}

/** Left edge of bin i of B, Eq. (ece): i x (1/B) in float64, as numpy.linspace(0, 1, B + 1) gives it; edge B is 1. */
export function binEdge(i: number, binCount: number): number {
  return i === binCount ? 1 : i * (1 / binCount);
}

const known = new Map<number, Float64Array>();

/** All B + 1 edges of Eq. (ece), see `binEdge`; one array for every B, not to be written to. */
export function binEdges(binCount: number): Float64Array {
  const edges = known.get(binCount) ?? Float64Array.from({ length: binCount + 1 }, (_, b) => binEdge(b, binCount));
  known.set(binCount, edges);
  return edges;
}

/**
 * The bin of Eq. (ece) that owns a confidence in [0, 1], among B + 1 ascending edges. Confidence x B rounds by less
 * than a bin, so its whole part is the bin or a neighbour of it. What is rarely true is asked first: the rest would
 * often be guessed wrong.
 */
export function binIndex(confidence: number, edges: Float64Array, rightOwned: boolean): number {
  const last = edges.length - 2;
  const bin = (confidence * (last + 1) * (1 - Number.EPSILON)) | 0;
  if (bin > last) return last;
  if (rightOwned) {
    if (confidence <= edges[bin]! && bin > 0) return bin - 1;
    return confidence > edges[bin + 1]! && bin < last ? bin + 1 : bin;
  }
  if (confidence < edges[bin]! && bin > 0) return bin - 1;
  return confidence >= edges[bin + 1]! && bin < last ? bin + 1 : bin;
}
