import type { UnlabelledSplit } from './calibration-method.js';

/** Weight of DACA: 1 where target and own base agree, 0 on D; Eq. (weights) without its second case. */
export function agreementWeight({ disagreement }: UnlabelledSplit, n: number): number {
  return 1 - disagreement[n]!;
}

/** Weight of the ablation by relative support alone (App. D): u^(o) of Eq. (relsupport) on D, else 1. */
export function relativeWeight(split: UnlabelledSplit, n: number): number {
  return split.disagreement[n] === 0 ? 1 : split.ownBaseSupport[n]!;
}

/** ln of `relativeWeight` (App. D). */
export function logRelativeWeight(split: UnlabelledSplit, n: number): number {
  return split.disagreement[n] === 0 ? 0 : split.logOwnBaseSupport(n);
}

/** Eq. (weights): u^(o) c(S*) on D, else 1. */
export function supportWeight(split: UnlabelledSplit, n: number): number {
  return split.disagreement[n] === 0 ? 1 : split.ownBaseSupport[n]! * split.corroboration(n);
}

/** ln of Eq. (weights). */
export function logSupportWeight(split: UnlabelledSplit, n: number): number {
  return split.disagreement[n] === 0 ? 0 : split.logOwnBaseSupport(n) + split.logCorroboration(n);
}

/** `agreementWeight`, Eq. (weights), of the examples with the given indexes, in one loop. */
export function agreementWeights({ disagreement }: UnlabelledSplit, indexes: Int32Array): Float64Array {
  const weights = new Float64Array(indexes.length);
  for (let at = 0; at < weights.length; at++) weights[at] = 1 - disagreement[indexes[at]!]!;
  return weights;
}

/** `relativeWeight` (App. D) of the examples with the given indexes, in one loop. */
export function relativeWeights({ disagreement, ownBaseSupport }: UnlabelledSplit, indexes: Int32Array): Float64Array {
  const weights = new Float64Array(indexes.length);
  for (let at = 0; at < weights.length; at++) {
    const n = indexes[at]!;
    weights[at] = disagreement[n] === 0 ? 1 : ownBaseSupport[n]!;
  }
  return weights;
}

/** `supportWeight`, Eq. (weights), of the examples with the given indexes, in one loop. */
export function supportWeights(split: UnlabelledSplit, indexes: Int32Array): Float64Array {
  const { disagreement, ownBaseSupport } = split;
  const weights = new Float64Array(indexes.length);
  for (let at = 0; at < weights.length; at++) {
    const n = indexes[at]!;
    weights[at] = disagreement[n] === 0 ? 1 : ownBaseSupport[n]! * split.corroboration(n);
  }
  return weights;
}
