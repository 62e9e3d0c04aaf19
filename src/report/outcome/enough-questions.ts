import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodLabel } from '../../results/method-label.js';
import type { CurvePoint } from '../../results/paper-diagnostics.js';
import { formatCount, formatFixed } from '../text/format-number.js';

type SampleSize = NonNullable<Diagnostics['sampleSize']>[number];

/** How many unlabelled questions sufficed on one data set, and how many labels reach the same. */
export interface EnoughQuestions {
  readonly dataset: string;
  readonly label: string;
  /** The fewest questions from which on the ECE is near that of the most. */
  readonly questions: number;
  readonly ecePp: number;
  /** Labels that come as far as those: more than the first, at most the second; null: no such end was measured. */
  readonly labels: { readonly above: number | null; readonly atMost: number | null } | null;
}

/** An ECE within so many pp of that of all questions is as good. */
const NEAR_PP = 0.5;

/** From the mean curves of a run over sizes of the calibration split; nothing of a data set without them. */
export function enoughQuestions({ sampleSize = [] }: Pick<Diagnostics, 'sampleSize'>, methods: readonly string[]) {
  const datasets = [...new Set(sampleSize.map(({ dataset }) => dataset))];
  return datasets.flatMap((dataset): EnoughQuestions[] => {
    const own = sampleSize.filter((curve) => curve.dataset === dataset);
    const free = methods.flatMap((method) => meanCurve(own, method) ?? [])[0];
    if (free === undefined) return [];
    const points = measured(free);
    const most = points.at(-1);
    if (most === undefined) return [];
    const enough =
      points[points.findLastIndex(({ eceMean }) => 100 * eceMean > 100 * most.eceMean + NEAR_PP) + 1] ?? most;
    const labelled = meanCurve(own, 'oracle-ts');
    return [
      {
        dataset,
        label: methodLabel(free.method, free.combinationSize),
        questions: Math.round(enough.calibrationCount),
        ecePp: 100 * enough.eceMean,
        labels: labelled === undefined ? null : labelsFor(measured(labelled), enough.eceMean),
      },
    ];
  });
}

/** `16 unlabelled questions come to 5.80 pp, which takes 40 to 80 labels`. */
export function enoughText({ questions, ecePp, labels }: EnoughQuestions): string {
  const reach = `${formatCount(questions)} unlabelled questions come to ${formatFixed(ecePp)} pp`;
  if (labels === null) return reach;
  const { above, atMost } = labels;
  if (atMost === null) return `${reach}, and ${formatCount(above ?? 0)} labels do not reach that`;
  if (above === null) return `${reach}, which ${formatCount(atMost)} labels beat`;
  return `${reach}, which takes ${formatCount(above)} to ${formatCount(atMost)} labels`;
}

/** The mean over targets, or the only target; of several M the smallest. */
function meanCurve(curves: readonly SampleSize[], method: string): SampleSize | undefined {
  const own = curves.filter((curve) => curve.method === method);
  const means = own.filter(({ target }) => target === null);
  return (means.length > 0 ? means : own).toSorted((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0))[0];
}

type Measured = CurvePoint & { readonly eceMean: number };

function measured({ points }: SampleSize): Measured[] {
  return points
    .filter((point): point is Measured => point.eceMean !== null)
    .toSorted((a, b) => a.calibrationCount - b.calibrationCount);
}

function labelsFor(points: readonly Measured[], ece: number): EnoughQuestions['labels'] {
  if (points.length === 0) return null;
  const at = points.findIndex(({ eceMean }) => eceMean <= ece);
  const count = (point: Measured | undefined) => (point === undefined ? null : Math.round(point.calibrationCount));
  if (at === -1) return { above: count(points.at(-1)), atMost: null };
  return { above: count(points[at - 1]), atMost: count(points[at]) };
}
