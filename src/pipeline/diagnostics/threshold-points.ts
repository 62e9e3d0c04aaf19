import { estimatedThresholds } from '../../inference/selective/estimated-thresholds.js';
import { guaranteedThresholds } from '../../inference/selective/guaranteed-thresholds.js';
import { argmaxOfRow } from '../../numeric/argmax.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { topProbability } from '../../numeric/softmax.js';
import type { RunResult } from '../../results/run-schema.js';
import { MAX_ERRORS, THRESHOLD_LEVEL, type ThresholdPoint, type Thresholds } from '../../results/threshold-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { RowSplit } from './combination-rows.js';
import { plainTemperature } from './plain-temperature.js';

/** Rows that thresholds are found on: those with the given indexes. */
export interface ThresholdRows {
  readonly targetLogits: RaggedRows;
  /** One for each row of logits; -1: no label. */
  readonly labels: Int32Array;
  readonly indexes: Int32Array;
}

/** Thresholds of a target at an inverse temperature, for each of `MAX_ERRORS`, and how many rows have a label. */
export function thresholdPoints(
  { targetLogits, labels, indexes }: ThresholdRows,
  inverseTemperature: number,
): { readonly points: ThresholdPoint[]; readonly labelled: number } {
  const confidences = confidencesOf(targetLogits, indexes, inverseTemperature);
  const { known, correct } = labelledOnes({ targetLogits, labels, indexes }, confidences);
  const guaranteed = known.length === 0 ? [] : guaranteedThresholds(known, correct, MAX_ERRORS, 1 - THRESHOLD_LEVEL);
  const estimated = estimatedThresholds(confidences, MAX_ERRORS);
  const points = MAX_ERRORS.map((maxError, e): ThresholdPoint => {
    const guess = estimated[e] ?? null;
    return {
      maxError,
      guaranteed: guaranteed[e] ?? null,
      estimated: guess && { ...guess, observedRisk: observedRisk(known, correct, guess.threshold) },
    };
  });
  return { points, labelled: known.length };
}

function confidencesOf(logits: RaggedRows, indexes: Int32Array, inverseTemperature: number): Float64Array {
  const confidences = new Float64Array(indexes.length);
  for (let i = 0; i < indexes.length; i++) confidences[i] = topProbability(logits, indexes[i]!, inverseTemperature);
  return confidences;
}

/** Confidences of the rows with a label, and 1 where the prediction is right. */
function labelledOnes({ targetLogits, labels, indexes }: ThresholdRows, confidences: Float64Array) {
  const [known, correct] = [new Float64Array(indexes.length), new Uint8Array(indexes.length)];
  let count = 0;
  for (let i = 0; i < indexes.length; i++) {
    const n = indexes[i]!;
    if (labels[n] === -1) continue;
    known[count] = confidences[i]!;
    correct[count++] = argmaxOfRow(targetLogits, n) === labels[n] ? 1 : 0;
  }
  return { known: known.subarray(0, count), correct: correct.subarray(0, count) };
}

/** Thresholds of every temperature that was put on the plain logits of a target, on the evaluation side of a split. */
export function thresholdsOfRuns(
  { targetLogits, labels }: Pick<AlignedTarget, 'targetLogits' | 'labels'>,
  { seed, evaluation }: RowSplit,
  runs: readonly RunResult[],
): Thresholds[] {
  return runs.flatMap((run): Thresholds[] => {
    const beta = run.seed === seed ? plainTemperature(run) : null;
    if (beta === null || evaluation.length === 0) return [];
    const { dataset, target, method, combinationSize } = run;
    const found = thresholdPoints({ targetLogits, labels, indexes: evaluation }, beta);
    const of = { dataset, target, method, combinationSize, seed, level: THRESHOLD_LEVEL };
    return [{ ...of, ...found, examples: evaluation.length }];
  });
}

function observedRisk(confidences: Float64Array, correct: Uint8Array, threshold: number): number | null {
  let [answered, errors] = [0, 0];
  for (let i = 0; i < confidences.length; i++) {
    if (!((confidences[i] ?? 0) >= threshold)) continue;
    answered += 1;
    errors += correct[i] ? 0 : 1;
  }
  return answered === 0 ? null : errors / answered;
}
