import { Scratch } from '../numeric/scratch.js';
import { sortConfidences } from '../numeric/sort-confidences.js';
import { riskCoverage } from './aurc.js';
import { auroc } from './auroc.js';
import { type BinErrors, binErrors } from './bins/bin-errors.js';
import { BinTally } from './bins/bin-tally.js';
import { type Binning, binEdges, binIndex, DEFAULT_BINNING } from './bins/binning.js';
import { equalMassBins } from './bins/equal-mass-bins.js';
import { rankedAbove } from './bins/ranked-confidences.js';
import type { ReliabilityBin } from './bins/reliability-bin.js';
import { binsOf } from './bins/reliability-bins.js';
import { smoothEce } from './smooth-ece.js';

/** What can be measured where only the confidence of the prediction is known. Fractions in [0, 1] unless said. */
export interface ConfidenceEvaluation extends BinErrors {
  /** Labelled examples. */
  readonly count: number;
  readonly accuracy: number;
  readonly meanConfidence: number;
  /** Mean confidence minus accuracy, in [-1, 1]; above 0 the model is over-confident, below 0 under-confident. */
  readonly overconfidence: number;
  /** ECE over equal-mass bins, whatever the bins of `ece` are. */
  readonly adaptiveEce: number;
  /** ECE over 15 and over 20 equal-width bins, whatever the bins of `ece` are. */
  readonly ece15: number;
  readonly ece20: number;
  readonly smoothEce: number;
  /** null when every prediction is right or every one is wrong. */
  readonly auroc: number | null;
  readonly aurc: number;
  readonly excessAurc: number;
  readonly bins: readonly ReliabilityBin[];
  /** Per labelled example, in the order of the indexes: its index, confidence, and 1 where the prediction is right. */
  readonly examples: Int32Array;
  readonly confidences: Float64Array;
  readonly correct: Uint8Array;
}

/**
 * The metrics, Eq. (ece) first, of predictions with confidences in [0, 1], on the examples with the given indexes.
 * Examples of label -1, or without an answer (prediction -1), are left out; null when none is left.
 */
export function evaluateConfidences(
  given: { readonly predictions: Int32Array; readonly confidences: Float64Array },
  indexes: Int32Array,
  labels: Int32Array,
  binning: Partial<Binning> = {},
): ConfidenceEvaluation | null {
  const examples = indexes.filter((n) => labels[n] !== -1 && given.predictions[n] !== -1);
  if (examples.length === 0) return null;
  const full = { ...DEFAULT_BINNING, ...binning };
  const confidences = Float64Array.from(examples, (n) => given.confidences[n]!);
  const correct = Uint8Array.from(examples, (n) => (given.predictions[n] === labels[n] ? 1 : 0));
  const top = new BinTally(full.bins, full.edgeRule);
  for (const [n, confidence] of confidences.entries()) top.add(confidence, correct[n]!);
  const tallies: ConfidenceTallies = {
    top,
    right: confidences.filter((_, n) => correct[n] === 1),
    wrong: confidences.filter((_, n) => correct[n] === 0),
    confidence: confidences.reduce((sum, each) => sum + each, 0),
  };
  return { ...confidenceMetrics(tallies, full, new Scratch()), examples, confidences, correct };
}

/** Sums over the examples that the metrics of top confidences are made of. */
export interface ConfidenceTallies {
  /** Top probability against "the prediction is right". */
  readonly top: BinTally;
  /** Confidences of right and of wrong predictions. */
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  /** Per example what it is ranked by, and 1 where the prediction is right; null: its confidence. */
  readonly ranks?: Float64Array | null;
  readonly correct?: Uint8Array;
  /** Sum of the confidences. */
  readonly confidence: number;
}

/** Every metric of top confidences: Eq. (ece) and the rest of `ConfidenceEvaluation`. */
export function confidenceMetrics(
  tallies: ConfidenceTallies,
  { bins, binEdges, edgeRule }: Binning,
  scratch: Scratch,
): Omit<ConfidenceEvaluation, 'examples' | 'confidences' | 'correct'> {
  const ranked = {
    right: sortConfidences(tallies.right, scratch.float64('sorted right', tallies.right.length)),
    wrong: sortConfidences(tallies.wrong, scratch.float64('sorted wrong', tallies.wrong.length)),
    scratch,
  };
  const { ranks, correct } = tallies;
  const order = ranks && correct ? rankedAbove(ranked, ranks, correct) : ranked;
  const count = ranked.right.length + ranked.wrong.length;
  const equalMass = equalMassBins(ranked, bins);
  const reliability = binEdges === 'equal-mass' ? equalMass : binsOf(tallies.top);
  const accuracy = ranked.right.length / count;
  const meanConfidence = tallies.confidence / count;
  return {
    count,
    accuracy,
    meanConfidence,
    overconfidence: meanConfidence - accuracy,
    ...binErrors(reliability),
    adaptiveEce: binErrors(equalMass).ece,
    ece15: widthEce(tallies, 15, edgeRule),
    ece20: widthEce(tallies, 20, edgeRule),
    smoothEce: smoothEce(ranked),
    auroc: auroc(order),
    ...riskCoverage(order),
    bins: reliability,
  };
}

/** Eq. (ece) over another number of equal-width bins. */
function widthEce({ right, wrong }: ConfidenceTallies, bins: number, edgeRule: Binning['edgeRule']): number {
  const edges = binEdges(bins);
  const sums = new Float64Array(bins);
  for (const [confidences, hit] of [
    [right, 1],
    [wrong, 0],
  ] as const)
    for (let n = 0; n < confidences.length; n++) {
      const confidence = confidences[n]!;
      sums[binIndex(confidence, edges, edgeRule === 'right-owned')]! += confidence - hit;
    }
  return sums.reduce((sum, gap) => sum + Math.abs(gap), 0) / (right.length + wrong.length);
}
