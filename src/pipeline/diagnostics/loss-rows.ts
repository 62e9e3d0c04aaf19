import { lossCurves } from '../../calibration/curves/loss-curves.js';
import { weightingMethod } from '../../calibration/methods.js';
import type { CalibrationSplit } from '../../calibration/open-split.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';

const METHODS = ['daca', 'full-kl', 'supportcal'];

type Row = Omit<NonNullable<Diagnostics['loss']>[number], 'dataset' | 'target' | 'seed'>;

/** The loss of DACA, full KL and SupportCal (smallest M) on one split. */
export function lossRows(split: CalibrationSplit, combinationSizes: readonly number[]): Row[] {
  const fits = METHODS.flatMap((name) => {
    const method = weightingMethod(name);
    const combinationSize = method.needs === 'references' ? Math.min(...combinationSizes) : null;
    if (combinationSize === Number.POSITIVE_INFINITY) return [];
    const chosen = combinationSize === null ? null : (split.select(combinationSize)?.references ?? null);
    const given = split.weigh(method, chosen);
    return [{ method: name, combinationSize, given, outcome: split.fit(given) }];
  });
  return lossCurves(split, fits).map(({ fit: { method, combinationSize }, ...curve }) => ({
    method,
    combinationSize,
    ...curve,
    losses: [...curve.losses],
  }));
}
