import type { NestedResamples } from '../../inference/nested-bootstrap.js';

type Averaged = Pick<NestedResamples, 'eces' | 'signedMeans' | 'overconfidences'>;

/**
 * The resamples of the mean over targets of one method, on new examples and these targets: resample r of every target
 * draws the same examples. The over-confidence of each target counts with its own sign, as its ECE does.
 */
export function overTargets(nested: readonly NestedResamples[]): NestedResamples {
  const [first] = nested;
  if (first === undefined) throw new Error('no target to average over');
  if (nested.length === 1) return first;
  const meanOf = (of: (each: NestedResamples) => number) =>
    nested.reduce((sum, each) => sum + of(each), 0) / nested.length;
  const columnMean = (column: keyof Averaged, sign: (each: NestedResamples) => number = () => 1) =>
    Float64Array.from(first[column], (_, r) => meanOf((each) => sign(each) * (each[column][r] ?? Number.NaN)));
  return {
    level: meanOf(({ level }) => level),
    eces: columnMean('eces'),
    signed: meanOf(({ signed }) => signed),
    signs: new Float64Array(0),
    signedMeans: columnMean('signedMeans'),
    overconfidence: meanOf(({ overconfidence }) => Math.abs(overconfidence)),
    overconfidences: columnMean('overconfidences', ({ overconfidence }) => (overconfidence < 0 ? -1 : 1)),
    generalFits: nested.reduce((sum, { generalFits }) => sum + generalFits, 0),
  };
}
