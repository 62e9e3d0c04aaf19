import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { CurvePoint } from '../../results/paper-diagnostics.js';
import { FEWEST_LABELS } from '../../results/verdict/verdict-kind.js';
import type { Verdict } from '../../results/verdict-schema.js';
import { formatCount, formatFixed } from '../text/format-number.js';
import { count } from '../text/what-is-missing.js';

type SampleSize = NonNullable<Diagnostics['sampleSize']>[number];

/** How many unlabelled questions sufficed on one data set, and how many labels reach the same. */
export interface EnoughQuestions {
  readonly dataset: string;
  readonly label: string;
  /** The fewest questions from which on the ECE is near that of the most. */
  readonly questions: number;
  readonly ecePp: number;
  /**
   * Labels whose fit comes as far: more than `above`, at most `atMost`; an end is null where the fewest that were tried
   * come as far already, or the most do not. null: no fit on labels was measured.
   */
  readonly labels: { readonly above: number | null; readonly atMost: number | null } | null;
}

/** An ECE within so many pp of that of all questions is as good. */
const NEAR_PP = 0.5;

/**
 * From the mean curves of a run over sizes of the calibration split; nothing of a data set without them, or with fewer
 * labelled questions than a verdict needs: the curves of so few are noise.
 */
export function enoughQuestions(
  { sampleSize = [] }: Pick<Diagnostics, 'sampleSize'>,
  verdicts: readonly Pick<Verdict, 'dataset' | 'use' | 'labelledCount'>[],
): EnoughQuestions[] {
  const names = new Map(verdicts.flatMap(({ use }) => (use === null ? [] : [[use.method, use.label]])));
  const isChecked = (dataset: string) =>
    verdicts.every((each) => each.dataset !== dataset || each.labelledCount >= FEWEST_LABELS);
  const datasets = [...new Set(sampleSize.map(({ dataset }) => dataset))].filter(isChecked);
  return datasets.flatMap((dataset): EnoughQuestions[] => {
    const own = sampleSize.filter((curve) => curve.dataset === dataset);
    const free = [...names.keys()].flatMap((method) => meanCurve(own, method) ?? [])[0];
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
        label: names.get(free.method) ?? free.method,
        questions: Math.round(enough.calibrationCount),
        ecePp: 100 * enough.eceMean,
        labels: labelled === undefined ? null : labelsFor(measured(labelled), enough.eceMean),
      },
    ];
  });
}

/** `Auto with 16 unlabelled questions (ECE 5.80 pp) is as good as a fit on 40 to 80 labels`. */
export function enoughText({ label, questions, ecePp, labels }: EnoughQuestions): string {
  const reach = `${label} with ${count(questions, 'unlabelled question')} (ECE ${formatFixed(ecePp)} pp) is`;
  if (labels === null) return `${reach} as good as with more`;
  const { above, atMost } = labels;
  if (atMost === null) return `${reach} better than a fit on ${count(above ?? 0, 'label')}, the most that were tried`;
  if (above === null) return `${reach} no better than a fit on ${count(atMost, 'label')}, the fewest that were tried`;
  return `${reach} as good as a fit on ${formatCount(above)} to ${count(atMost, 'label')}`;
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
  const size = (point: Measured | undefined) => (point === undefined ? null : Math.round(point.calibrationCount));
  if (at === -1) return { above: size(points.at(-1)), atMost: null };
  return { above: size(points[at - 1]), atMost: size(points[at]) };
}
