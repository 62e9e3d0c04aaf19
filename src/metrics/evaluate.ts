import { Scratch } from '../numeric/scratch.js';
import { type Binning, DEFAULT_BINNING } from './bins/binning.js';
import type { ReliabilityBin } from './bins/reliability-bin.js';
import { binsOf } from './bins/reliability-bins.js';
import { type BrierDecomposition, brierDecomposition } from './brier-decomposition.js';
import { classwiseEce } from './classwise-ece.js';
import { type ConfidenceEvaluation, confidenceMetrics } from './evaluate-confidences.js';
import { gatherExamples, type MeasuredRows } from './gather-examples.js';
import { type Tallies, tallyExamples } from './tally-examples.js';

/** How well calibrated one model is on one set of labelled examples, whose whole distributions are known. */
export interface Evaluation extends ConfidenceEvaluation {
  readonly classwiseEce: number;
  /** Per option the bins of its probability, equal-width whatever those of `ece` are. */
  readonly classBins: ReadonlyArray<readonly ReliabilityBin[]>;
  /** Mean over examples of sum_k (q_k - [k is the label])^2 (Brier 1950), in [0, 2]. */
  readonly brier: number;
  readonly brierParts: BrierDecomposition;
  /** Mean negative log-likelihood of the label, in nats; Infinity where a label has the probability 0. */
  readonly nll: number;
}

/**
 * Every metric, Eq. (ece) first, of q_n = softmax(beta z_n), beta = 1/tau (Guo et al. 2017), on the examples with the
 * given indexes. `inverseTemperature` is beta, 0 for an infinite temperature (confidence 1/K, the prediction stays the
 * argmax of z, ties to the lowest index). Examples of label -1 are left out; null when none is left. A label that is no
 * option is an error.
 */
export function evaluate(
  rows: MeasuredRows,
  inverseTemperature: number,
  binning?: Partial<Binning>,
): Evaluation | null {
  return evaluator(rows, binning)(inverseTemperature);
}

/**
 * `evaluate` (Eq. (ece) and the rest) for many temperatures on the same examples: rows are gathered and predictions
 * made once.
 *
 * @param shared holds all arrays; `examples`, `confidences` and `correct` then stand until it is used again. Default:
 * they
 *   stay
 */
export function evaluator(
  rows: MeasuredRows,
  binning: Partial<Binning> = {},
  shared: Scratch | null = null,
): (inverseTemperature: number) => Evaluation | null {
  const scratch = shared ?? new Scratch();
  const examples = gatherExamples(rows, scratch);
  const full = { ...DEFAULT_BINNING, ...binning };
  return (beta) => {
    if (examples.rowCount === 0) return null;
    const tallies = tallyExamples(examples, beta, full, scratch);
    const { confidences, correct } = tallies;
    const kept =
      shared === null ? { confidences: confidences.slice(), correct: correct.slice() } : { confidences, correct };
    return { ...summarise(tallies, full, scratch), examples: examples.indexes, ...kept };
  };
}

function summarise(
  tallies: Tallies,
  binning: Binning,
  scratch: Scratch,
): Omit<Evaluation, 'examples' | 'confidences' | 'correct'> {
  const { count, classes } = tallies;
  return {
    ...confidenceMetrics(tallies, binning, scratch),
    classwiseEce: classwiseEce(classes),
    classBins: classes.map(binsOf),
    brier: tallies.brier / count,
    brierParts: brierDecomposition(classes, count),
    nll: tallies.nll / count,
  };
}
