import { fitTemperature } from '../../calibration/fit/fit-temperature.js';
import { alignWithLabels, logitGaps, takeAlignment } from '../../calibration/fit/teacher-alignment.js';
import { groupBy } from '../../contract/group-by.js';
import { bestTemperature } from '../../inference/temperature-regret.js';
import type { Binning } from '../../metrics/bins/binning.js';
import { eceEvaluator } from '../../metrics/ece-evaluator.js';
import { evaluate } from '../../metrics/evaluate.js';
import { mean } from '../../numeric/mean.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { RowSplit } from './combination-rows.js';
import { plainTemperature } from './plain-temperature.js';

type Regret = NonNullable<Diagnostics['regret']>[number];

/** One run beside the best temperatures of its evaluation side. */
interface Sample extends Pick<RunResult, 'target' | 'method' | 'combinationSize'> {
  readonly eceRegret: number;
  readonly nllRegret: number | null;
  /** ln of the temperature over the best one; null where one of them is infinite. */
  readonly eceDistance: number | null;
  readonly nllDistance: number | null;
}

type MeasuredTarget = Pick<AlignedTarget, 'targetLogits' | 'labels' | 'certain'>;

/** Collects how far the temperatures of every method are from the best ones of the evaluation side. */
export class RegretPool {
  readonly #samples: Sample[] = [];

  constructor(private readonly binning: Binning) {}

  /** Takes the runs of one target on the given splits; only temperatures on its plain logits are compared. */
  add(aligned: MeasuredTarget, splits: readonly RowSplit[], runs: readonly RunResult[]): void {
    if (splits.length === 0) return;
    const losses = lossFitter(aligned);
    for (const split of splits) {
      const fitted = runs.flatMap((run) => {
        const beta = run.seed === split.seed ? plainTemperature(run) : null;
        return beta === null || run.ece === null ? [] : [{ run, beta, ece: run.ece }];
      });
      if (fitted.length === 0) continue;
      const eceAt = eceEvaluator(aligned.targetLogits, split.evaluation, aligned.labels, this.binning);
      const ece = bestTemperature(
        (beta) => eceAt(beta) ?? 0,
        fitted.map(({ beta }) => beta),
      );
      const nll = losses?.(split.evaluation) ?? null;
      for (const { run, beta, ece: measured } of fitted)
        this.#samples.push({
          ...run,
          eceRegret: Math.max(0, measured - ece.measure),
          nllRegret: nll === null || run.nll === null ? null : Math.max(0, run.nll - nll.measure),
          eceDistance: distance(beta, ece.inverseTemperature),
          nllDistance: nll === null ? null : distance(beta, nll.inverseTemperature),
        });
    }
  }

  /** Means over seeds per target, then means of these over targets (target null). */
  entries(): Omit<Regret, 'dataset'>[] {
    const perTarget = [
      ...groupBy(this.#samples, ({ target, method, combinationSize }) =>
        JSON.stringify([target, method, combinationSize]),
      ).values(),
    ].map((samples) => row(samples[0].target, samples));
    const overTargets = [
      ...groupBy(this.#samples, ({ method, combinationSize }) => JSON.stringify([method, combinationSize])).values(),
    ].map((samples) => row(null, samples));
    return [...perTarget, ...overTargets];
  }
}

function row(target: string | null, samples: readonly [Sample, ...Sample[]]): Omit<Regret, 'dataset'> {
  const [{ method, combinationSize }] = samples;
  const known = (of: (sample: Sample) => number | null) => mean(samples.map(of).filter((value) => value !== null));
  const ratio = (of: (sample: Sample) => number | null) => {
    const middle = known(of);
    return middle === null ? null : Math.exp(middle);
  };
  return {
    target,
    method,
    combinationSize,
    fits: samples.length,
    eceRegretPp: 100 * (known(({ eceRegret }) => eceRegret) ?? 0),
    nllRegret: known(({ nllRegret }) => nllRegret),
    eceTemperatureRatio: ratio(({ eceDistance }) => eceDistance),
    nllTemperatureRatio: ratio(({ nllDistance }) => nllDistance),
    infinite: samples.filter(({ eceDistance }) => eceDistance === null).length,
  };
}

/** ln(tau / best tau). */
function distance(beta: number, best: number): number | null {
  return beta === 0 || best === 0 ? null : Math.log(best / beta);
}

/** The least NLL of labelled rows and its temperature, a fit to their labels; null where none is finite. */
function lossFitter({ targetLogits, labels, certain }: MeasuredTarget) {
  if (certain != null) return null;
  const alignment = alignWithLabels(logitGaps(targetLogits), labels);
  return (rows: Int32Array) => {
    const labelled = rows.filter((n) => labels[n] !== -1);
    const outcome = fitTemperature(takeAlignment(alignment, labelled), new Float64Array(labelled.length).fill(1));
    if (outcome.kind === 'none') return null;
    const inverseTemperature = outcome.kind === 'finite' ? outcome.inverseTemperature : 0;
    const found = evaluate({ logits: targetLogits, indexes: labelled, labels }, inverseTemperature);
    return found === null ? null : { inverseTemperature, measure: found.nll };
  };
}
