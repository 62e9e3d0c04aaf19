import type { RaggedRows } from '../numeric/ragged-rows.js';
import { sortConfidences } from '../numeric/sort-confidences.js';
import { adaptiveEce } from './adaptive-ece.js';
import { auroc } from './auroc.js';
import { classwiseEce } from './classwise-ece.js';
import { gatherExamples } from './gather-examples.js';
import { binsOf, eceOfBins, mceOfBins, type ReliabilityBin } from './reliability-bins.js';
import { smoothEce } from './smooth-ece.js';
import { type Tallies, tallyExamples } from './tally-examples.js';

/** How well calibrated one model is on one set of labelled examples. Fractions in [0, 1] unless said. */
export interface Evaluation {
  /** Labelled examples. */
  readonly count: number;
  readonly accuracy: number;
  readonly meanConfidence: number;
  readonly ece: number;
  readonly mce: number;
  readonly adaptiveEce: number;
  readonly classwiseEce: number;
  readonly smoothEce: number;
  /** Mean over examples of sum_k (q_k - [k is the label])^2, in [0, 2]. */
  readonly brier: number;
  /** Mean negative log-likelihood of the label, in nats. */
  readonly nll: number;
  /** null when every prediction is right or every one is wrong. */
  readonly auroc: number | null;
  readonly bins: readonly ReliabilityBin[];
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
  options?: EvaluationOptions,
): Evaluation | null {
  return evaluator(logits, indexes, labels, options)(inverseTemperature);
}

export interface EvaluationOptions {
  /** B of the binned metrics; default 10. */
  readonly bins?: number;
}

/** `evaluate` for many temperatures on the same examples: rows are gathered and predictions made once. */
export function evaluator(
  logits: RaggedRows,
  indexes: Int32Array,
  labels: Int32Array,
  { bins = 10 }: EvaluationOptions = {},
): (inverseTemperature: number) => Evaluation | null {
  const examples = gatherExamples(logits, indexes, labels);
  return (beta) => (examples.rowCount === 0 ? null : summarise(tallyExamples(examples, beta, bins), bins));
}

function summarise(tallies: Tallies, bins: number): Evaluation {
  const { count } = tallies;
  const ranked = { right: sortConfidences(tallies.right), wrong: sortConfidences(tallies.wrong) };
  const reliability = binsOf(tallies.top);
  return {
    count,
    accuracy: ranked.right.length / count,
    meanConfidence: tallies.confidence / count,
    ece: eceOfBins(reliability),
    mce: mceOfBins(reliability),
    adaptiveEce: adaptiveEce(ranked, bins),
    classwiseEce: classwiseEce(tallies.classes),
    smoothEce: smoothEce(ranked),
    brier: tallies.brier / count,
    nll: tallies.nll / count,
    auroc: auroc(ranked),
    bins: reliability,
  };
}
