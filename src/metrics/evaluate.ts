import { SupportCalError } from '../errors/supportcal-error.js';
import type { RaggedRows } from '../numeric/ragged-rows.js';
import { adaptiveEce } from './adaptive-ece.js';
import { auroc } from './auroc.js';
import { BinTally } from './bin-tally.js';
import { classwiseEce } from './classwise-ece.js';
import { binsOf, eceOfBins, mceOfBins, type ReliabilityBin } from './reliability-bins.js';
import { smoothEce } from './smooth-ece.js';

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
  indexes: ArrayLike<number>,
  labels: Int32Array,
  inverseTemperature: number,
  options: { readonly bins: number } = { bins: 10 },
): Evaluation | null {
  const pass = new EvaluationPass(indexes.length, options.bins);
  for (let i = 0; i < indexes.length; i++) {
    const n = indexes[i]!;
    if (labels[n] !== -1) pass.addRow(logits, n, labels[n]!, inverseTemperature);
  }
  return pass.finish();
}

/** One walk over the examples; nothing is allocated per row. */
class EvaluationPass {
  readonly #tally: BinTally;
  readonly #classes: BinTally[] = [];
  readonly #right: Float64Array;
  readonly #wrong: Float64Array;
  readonly #binCount: number;
  #masses = new Float64Array(16);
  #rights = 0;
  #wrongs = 0;
  #confidence = 0;
  #brier = 0;
  #nll = 0;

  constructor(rows: number, binCount: number) {
    this.#binCount = binCount;
    this.#tally = new BinTally(binCount);
    this.#right = new Float64Array(rows);
    this.#wrong = new Float64Array(rows);
  }

  addRow({ offsets, values }: RaggedRows, n: number, label: number, beta: number): void {
    const start = offsets[n]!;
    const count = offsets[n + 1]! - start;
    if (label < 0 || label >= count) throw labelFault(n, label, count);
    this.#makeRoom(count);
    let top = 0;
    for (let k = 1; k < count; k++) if (values[start + k]! > values[start + top]!) top = k;
    const max = values[start + top]!;
    let rest = 0;
    for (let k = 0; k < count; k++) {
      const mass = k === top ? 1 : Math.exp(beta * (values[start + k]! - max));
      this.#masses[k] = mass;
      if (k !== top) rest += mass;
    }
    const total = 1 + rest;
    this.#nll += Math.log1p(rest) - beta * (values[start + label]! - max);
    for (let k = 0; k < count; k++) {
      const probability = this.#masses[k]! / total;
      const miss = k === label ? (total - this.#masses[k]!) / total : probability;
      this.#brier += miss * miss;
      this.#classes[k]!.add(probability, k === label);
    }
    this.#addPrediction(1 / total, top === label);
  }

  finish(): Evaluation | null {
    const count = this.#rights + this.#wrongs;
    if (count === 0) return null;
    const ranked = {
      right: this.#right.subarray(0, this.#rights).sort(),
      wrong: this.#wrong.subarray(0, this.#wrongs).sort(),
    };
    const bins = binsOf(this.#tally);
    return {
      count,
      accuracy: this.#rights / count,
      meanConfidence: this.#confidence / count,
      ece: eceOfBins(bins),
      mce: mceOfBins(bins),
      adaptiveEce: adaptiveEce(ranked, this.#binCount),
      classwiseEce: classwiseEce(this.#classes),
      smoothEce: smoothEce(ranked),
      brier: this.#brier / count,
      nll: this.#nll / count,
      auroc: auroc(ranked),
      bins,
    };
  }

  #addPrediction(confidence: number, hit: boolean): void {
    this.#confidence += confidence;
    this.#tally.add(confidence, hit);
    if (hit) this.#right[this.#rights++] = confidence;
    else this.#wrong[this.#wrongs++] = confidence;
  }

  #makeRoom(options: number): void {
    while (this.#classes.length < options) this.#classes.push(new BinTally(this.#binCount));
    if (this.#masses.length < options) this.#masses = new Float64Array(2 * options);
  }
}

function labelFault(n: number, label: number, options: number): SupportCalError {
  return new SupportCalError('bad-input', {
    row: String(n + 1),
    field: 'label',
    message: `expected a label from 0 to ${options - 1}, or -1 for none, but it is ${label}`,
  });
}
