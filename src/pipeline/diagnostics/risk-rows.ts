import { logitGaps } from '../../calibration/fit/teacher-alignment.js';
import { logOdds, riskCoverageCurve } from '../../inference/selective/risk-coverage-curve.js';
import { argmaxOfRow } from '../../numeric/argmax.js';
import { takeRows } from '../../numeric/ragged-rows.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { RowSplit } from './combination-rows.js';
import { plainTemperature } from './plain-temperature.js';

/** Shares of the examples that are answered. */
const COVERAGES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

type Row = Omit<NonNullable<Diagnostics['riskCoverage']>[number], 'dataset'>;

/**
 * Risk by coverage of every temperature that was put on the plain logits of a target, on the evaluation side of one
 * split.
 */
export function riskRows(
  { targetLogits, labels }: Pick<AlignedTarget, 'targetLogits' | 'labels'>,
  { seed, evaluation }: RowSplit,
  runs: readonly RunResult[],
): Row[] {
  const rows = evaluation.filter((n) => labels[n] !== -1);
  if (rows.length === 0) return [];
  const gaps = takeRows(logitGaps(targetLogits), rows);
  const correct = Uint8Array.from(rows, (n, i) => (argmaxOfRow(gaps, i) === labels[n] ? 1 : 0));
  return runs.flatMap((run): Row[] => {
    const beta = run.seed === seed ? plainTemperature(run) : null;
    if (beta === null) return [];
    const points = riskCoverageCurve(logOdds(gaps, beta), correct, COVERAGES);
    return [
      {
        target: run.target,
        method: run.method,
        combinationSize: run.combinationSize,
        seed,
        examples: rows.length,
        points: points.map(({ coverage, count, risk, low, high }) => ({ coverage, count, risk, low, high })),
      },
    ];
  });
}
