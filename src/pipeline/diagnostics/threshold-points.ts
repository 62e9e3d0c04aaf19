import { estimatedThresholds } from '../../inference/selective/estimated-thresholds.js';
import { guaranteedThresholds } from '../../inference/selective/guaranteed-thresholds.js';
import { argmaxOfRow } from '../../numeric/argmax.js';
import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import { softmax } from '../../numeric/softmax.js';
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
  const predictions = Int32Array.from(indexes, (n) => argmaxOfRow(targetLogits, n));
  const confidences = Float64Array.from(
    indexes,
    (n, i) => softmax(rowOf(targetLogits, n), inverseTemperature)[predictions[i] ?? 0] ?? Number.NaN,
  );
  const isLabelled = (_: number, i: number) => labels[indexes[i] ?? 0] !== -1;
  const known = confidences.filter(isLabelled);
  const correct = Uint8Array.from(
    predictions.map((prediction, i) => (prediction === labels[indexes[i] ?? 0] ? 1 : 0)).filter(isLabelled),
  );
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
