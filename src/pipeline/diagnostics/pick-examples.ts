import type { TargetCalibration } from '../../calibration/calibrate-target.js';
import { weightingMethod } from '../../calibration/methods.js';
import { logRelativeSupport } from '../../calibration/references/relative-support.js';
import { massesOf } from '../../metrics/masses-of.js';
import { argmaxOfRow } from '../../numeric/argmax.js';
import { longestRow, rowOf } from '../../numeric/ragged-rows.js';
import { smallestBy } from '../../numeric/smallest-by.js';
import { softmax } from '../../numeric/softmax.js';
import type { ShownExample } from '../../results/examples/examples-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { RowSplit } from './combination-rows.js';

/** Examples per target and kind. */
const COUNT = 4;
/** Distributions after calibration are shown for these, and of several M for the smallest. */
const CALIBRATED = ['supportcal', 'daca'];
/** Smaller weights have lost digits to underflow; their logarithms are taken apart. */
const LEAST_WEIGHT = 1e-290;
/** Digits after the point of a probability: the page shows tenths of a per cent. */
const DIGITS = 5;

/** An example by its number in the data set; text and options are added where the rows are known. */
export type PickedExample = Omit<ShownExample, 'dataset' | 'id' | 'text' | 'options'> & { readonly example: number };

/** One target with the split of one seed and what was fitted on it. */
export interface PickInput {
  readonly target: string;
  readonly ownBase: string;
  readonly aligned: AlignedTarget;
  readonly calibration: TargetCalibration;
  readonly split: RowSplit;
  /** All runs of the target; those of the split's seed are read. */
  readonly runs: readonly RunResult[];
}

/**
 * The examples of D on the calibration split with the largest and smallest weight, those that the own base contradicts
 * most (least u^(o)), and the wrong predictions of the evaluation split with the highest confidence. Only the last kind
 * looks at labels. Order and choice are decided in the log domain, so weights that underflow still differ.
 */
export function pickExamples(input: PickInput): PickedExample[] {
  const { aligned, calibration, split } = input;
  const runs = input.runs.filter((run) => run.seed === split.seed);
  const weighted = weigher(input, runs);
  const logSupport = (row: number) => logRelativeSupport(aligned.ownBaseLogits, calibration.targetPredictions, row);
  const exampleOfRow = inverse(aligned.rowOfExample, aligned.labels.length);
  const disagreement = split.calibration.filter((row) => calibration.disagreement[row] === 1);
  const kinds: [ShownExample['kind'], number[]][] = [
    ['largest-weight', weighted === null ? [] : smallestBy(disagreement, COUNT, (row) => -weighted(row))],
    ['smallest-weight', weighted === null ? [] : smallestBy(disagreement, COUNT, weighted)],
    ['strongest-contradiction', smallestBy(disagreement, COUNT, logSupport)],
    ['overconfident-error', smallestBy(wrongRows(input), COUNT, doubter(aligned))],
  ];
  return kinds.flatMap(([kind, rows]) =>
    rows.map((row, n) => ({
      target: input.target,
      kind,
      rank: n + 1,
      example: exampleOfRow[row] ?? -1,
      label: labelOf(aligned, row),
      prediction: calibration.targetPredictions[row] ?? -1,
      ownBasePrediction: calibration.ownBasePredictions[row] ?? -1,
      weight: kind === 'overconfident-error' || weighted === null ? null : Math.exp(weighted(row)),
      ownBaseSupport: Math.exp(logSupport(row)),
      distributions: distributionsOf(input, runs, row),
    })),
  );
}

function labelOf({ labels }: AlignedTarget, row: number): number | null {
  const label = labels[row] ?? -1;
  return label === -1 ? null : label;
}

/** The run whose weights are shown: SupportCal at its smallest M, else relative support alone; null without either. */
export function weightedRun(runs: readonly RunResult[]): RunResult | null {
  return smallestSize(runs, 'supportcal') ?? smallestSize(runs, 'relative-only');
}

/** ln w_n of a row of D; null when no run has weights. */
function weigher(
  { aligned, calibration, split }: PickInput,
  runs: readonly RunResult[],
): ((row: number) => number) | null {
  const run = weightedRun(runs);
  if (run === null) return null;
  const method = weightingMethod(run.method);
  const { weights, logWeights } = calibration.open(split.calibration).weigh(method, run.selectedReferences);
  const logs = weights.some((weight) => weight < LEAST_WEIGHT) && logWeights ? logWeights() : weights.map(Math.log);
  const placeOf = inverse(split.calibration, aligned.labels.length);
  return (row) => logs[placeOf[row] ?? -1] ?? Number.NaN;
}

function wrongRows({ aligned, calibration, split }: PickInput): Int32Array {
  return split.evaluation.filter(
    (row) => aligned.labels[row] !== -1 && aligned.labels[row] !== calibration.targetPredictions[row],
  );
}

/** 1/q - 1 of the top probability q before calibration: the less, the more confident, also where q rounds to 1. */
function doubter({ targetLogits }: AlignedTarget): (row: number) => number {
  const rowMasses = { beta: 1, masses: new Float64Array(longestRow(targetLogits)) };
  return (row) => massesOf(targetLogits, row, argmaxOfRow(targetLogits, row), rowMasses);
}

function distributionsOf(input: PickInput, runs: readonly RunResult[], row: number): ShownExample['distributions'] {
  const { aligned } = input;
  const plain = { method: null, combinationSize: null, temperature: null };
  const target = rowOf(aligned.targetLogits, row);
  const calibrated = CALIBRATED.flatMap((method) => smallestSize(runs, method) ?? []).filter(
    (run) => run.temperatureKind !== 'none',
  );
  return [
    { model: input.target, role: 'target' as const, ...plain, probabilities: rounded(softmax(target)) },
    ...calibrated.map(({ method, combinationSize, temperature }) => ({
      model: input.target,
      role: 'target' as const,
      method,
      combinationSize,
      temperature,
      probabilities: rounded(softmax(target, temperature === null ? 0 : 1 / temperature)),
    })),
    {
      model: input.ownBase,
      role: 'own-base' as const,
      ...plain,
      probabilities: rounded(softmax(rowOf(aligned.ownBaseLogits, row))),
    },
    ...aligned.references.map(({ id, logits }) => ({
      model: id,
      role: 'reference' as const,
      ...plain,
      probabilities: rounded(softmax(rowOf(logits, row))),
    })),
  ];
}

function smallestSize(runs: readonly RunResult[], method: string): RunResult | null {
  const ofMethod = runs.filter((run) => run.method === method);
  return ofMethod.toSorted((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0))[0] ?? null;
}

function rounded(probabilities: Float64Array): number[] {
  return Array.from(probabilities, (probability) => Number(probability.toFixed(DIGITS)));
}

/** The place at which each row is listed; rows of -1 are none. */
function inverse(listed: Int32Array, rows: number): Int32Array {
  const placeOf = new Int32Array(rows);
  for (const [place, item] of listed.entries()) if (item !== -1) placeOf[item] = place;
  return placeOf;
}
