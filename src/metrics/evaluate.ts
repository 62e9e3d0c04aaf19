import type { RaggedRows } from '../numeric/ragged-rows.js';
import { sortConfidences } from '../numeric/sort-confidences.js';
import { riskCoverage } from './aurc.js';
import { auroc } from './auroc.js';
import { type BinErrors, binErrors } from './bin-errors.js';
import { type Binning, DEFAULT_BINNING } from './binning.js';
import { type BrierDecomposition, brierDecomposition } from './brier-decomposition.js';
import { classwiseEce } from './classwise-ece.js';
import { equalMassBins } from './equal-mass-bins.js';
import { gatherExamples } from './gather-examples.js';
import type { ReliabilityBin } from './reliability-bin.js';
import { binsOf } from './reliability-bins.js';
import { smoothEce } from './smooth-ece.js';
import { type Tallies, tallyExamples } from './tally-examples.js';

/** How well calibrated one model is on one set of labelled examples. Fractions in [0, 1] unless said. */
export interface Evaluation extends BinErrors {
  /** Labelled examples. */
  readonly count: number;
  readonly accuracy: number;
  readonly meanConfidence: number;
  /** Mean confidence minus accuracy, in [-1, 1]; above 0 the model is over-confident, below 0 under-confident. */
  readonly overconfidence: number;
  /** ECE over equal-mass bins, whatever the bins of `ece` are. */
  readonly adaptiveEce: number;
  readonly classwiseEce: number;
  readonly smoothEce: number;
  /** Mean over examples of sum_k (q_k - [k is the label])^2, in [0, 2]. */
  readonly brier: number;
  readonly brierParts: BrierDecomposition;
  /** Mean negative log-likelihood of the label, in nats. */
  readonly nll: number;
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
 * Every metric of q_n = softmax(beta z_n) on the examples with the given indexes. `inverseTemperature` is beta, 0 for an
 * infinite temperature (confidence 1/K, the prediction stays the argmax of z, ties to the lowest index). Examples of
 * label -1 are left out; null when none is left. A label that is no option is an error.
 */
export function evaluate(
  logits: RaggedRows,
  indexes: Int32Array,
  labels: Int32Array,
  inverseTemperature: number,
  binning?: Partial<Binning>,
): Evaluation | null {
  return evaluator(logits, indexes, labels, binning)(inverseTemperature);
}

/** `evaluate` for many temperatures on the same examples: rows are gathered and predictions made once. */
export function evaluator(
  logits: RaggedRows,
  indexes: Int32Array,
  labels: Int32Array,
  binning: Partial<Binning> = {},
): (inverseTemperature: number) => Evaluation | null {
  const examples = gatherExamples(logits, indexes, labels);
  const full = { ...DEFAULT_BINNING, ...binning };
  return (beta) =>
    examples.rowCount === 0
      ? null
      : { ...summarise(tallyExamples(examples, beta, full), full), examples: examples.indexes };
}

function summarise(tallies: Tallies, { bins, binEdges }: Binning): Omit<Evaluation, 'examples'> {
  const { count, confidences, correct } = tallies;
  const ranked = { right: sortConfidences(tallies.right), wrong: sortConfidences(tallies.wrong) };
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
    classwiseEce: classwiseEce(tallies.classes),
    smoothEce: smoothEce(ranked),
    brier: tallies.brier / count,
    brierParts: brierDecomposition(tallies.classes, count),
    nll: tallies.nll / count,
    auroc: auroc(ranked),
    ...riskCoverage(ranked),
    bins: reliability,
    confidences,
    correct,
  };
}
