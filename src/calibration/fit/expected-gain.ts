import { CompensatedSum } from '../../numeric/compensated-sum.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import type { RowGains } from './pool-views.js';

/** All N examples of a target: the answers that differ in D, and the models that can take sides. */
export interface TargetAnswers {
  readonly targetPredictions: Int32Array;
  readonly ownBasePredictions: Int32Array;
  /** 1 - the own base's confidence in each example. */
  readonly ownBaseDoubts: Float64Array;
  /** Logits of every reference of the pool. */
  readonly references: readonly RaggedRows[];
  /** Each example's part in `expectedGain`, where it was found for all of them; null: it is found when asked for. */
  readonly gains?: RowGains | null;
}

/**
 * Label-free estimate of how much more often the target is right than its own base, as a share of the examples with
 * the given indexes, in [-1, 1]: the mean over examples and references r of p_n^(r)[target's answer] -
 * p_n^(r)[own base's answer], which is 0 in A. Needs a reference and an example.
 *
 * Not of the paper: `gain_mass` of bench/study/README.md. Too low where the references make the own base's mistakes, as
 * bases of one corpus do.
 */
export function expectedGain(answers: Omit<TargetAnswers, 'ownBaseDoubts'>, indexes: Int32Array): number {
  const { targetPredictions, ownBasePredictions, references, gains } = answers;
  if (gains != null) return sumOfGains(gains, indexes) / (indexes.length * references.length);
  const sides = new CompensatedSum();
  for (let i = 0; i < indexes.length; i++) {
    const n = indexes[i]!;
    const target = targetPredictions[n]!;
    const ownBase = ownBasePredictions[n]!;
    if (target === ownBase) continue;
    for (let r = 0; r < references.length; r++) sides.add(preference(references[r]!, n, target, ownBase));
  }
  return sides.value / (indexes.length * references.length);
}

function sumOfGains({ high, low }: RowGains, indexes: Int32Array): number {
  const sum = new CompensatedSum();
  for (let i = 0; i < indexes.length; i++) {
    const n = indexes[i]!;
    sum.add(high[n]!);
    sum.add(low[n]!);
  }
  return sum.value;
}

/** How much more probability row n gives to one option than to another; `softmax` without an array. */
function preference({ offsets, values }: RaggedRows, n: number, option: number, other: number): number {
  const [start, end] = [offsets[n]!, offsets[n + 1]!];
  let max = Number.NEGATIVE_INFINITY;
  for (let k = start; k < end; k++) if (values[k]! > max) max = values[k]!;
  let [total, first, second] = [0, 0, 0];
  for (let k = start; k < end; k++) {
    const gap = values[k]! - max;
    const mass = gap === 0 ? 1 : Math.exp(gap);
    total += mass;
    if (k === start + option) first = mass;
    if (k === start + other) second = mass;
  }
  return first / total - second / total;
}
