import { CompensatedSum } from '../../numeric/compensated-sum.js';
import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import { softmax } from '../../numeric/softmax.js';

/** All N examples of a target: the answers that differ in D, and the models that can take sides. */
export interface TargetAnswers {
  readonly targetPredictions: Int32Array;
  readonly ownBasePredictions: Int32Array;
  readonly ownBaseLogits: RaggedRows;
  /** Logits of every reference of the pool. */
  readonly references: readonly RaggedRows[];
}

/**
 * Label-free estimate of how much more often the target is right than its own base, as a share of the examples with
 * the given indexes, in [-1, 1]: the mean over examples and references r of p_n^(r)[target's answer] -
 * p_n^(r)[own base's answer], which is 0 in A. Needs a reference and an example.
 *
 * Not of the paper: `gain_mass` of bench/study/README.md. Too low where the references make the own base's mistakes, as
 * bases of one corpus do.
 */
export function expectedGain(answers: TargetAnswers, indexes: Int32Array): number {
  const { targetPredictions, ownBasePredictions, references } = answers;
  const sides = new CompensatedSum();
  for (const n of indexes) {
    const target = targetPredictions[n]!;
    const ownBase = ownBasePredictions[n]!;
    if (target === ownBase) continue;
    for (const logits of references) {
      const probabilities = softmax(rowOf(logits, n));
      sides.add(probabilities[target]! - probabilities[ownBase]!);
    }
  }
  return sides.value / (indexes.length * references.length);
}
