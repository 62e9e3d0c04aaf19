import { LOSS_REACH, LOSS_STEPS } from '../../calibration/curves/loss-curves.js';
import { REINTRODUCTION_ORDER } from '../../calibration/curves/reintroduction.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { median } from '../../numeric/quantile.js';
import { formatCount } from '../../report/text/format-number.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { resultDiagnostics } from '../../results/paper-diagnostics.js';
import type { Results } from '../../results/results-schema.js';
import { BIN_RESAMPLES } from '../bootstrap/resample-count.js';
import type { CalibratedSuite } from '../calibrate/calibrate-suite.js';
import type { AskedDiagnostics } from '../collect/asked-diagnostics.js';
import { CALIBRATION_FRACTIONS, MOST_ROWS_OF_SEEDS } from '../diagnostics/dataset-diagnostics.js';

/** How the lists were made; report.md prints these lines under its tables, the figures beside theirs. */
function notesOf({ diagnostics, seeds, bootstrap }: SuitePlan): Record<string, string> {
  const full = diagnostics === 'full';
  const some =
    `where targets x examples x seeds is above ${formatCount(MOST_ROWS_OF_SEEDS)}, of seed ` + `${seeds[0]} alone`;
  const mean = `Mean over targets and seeds${full ? '' : ` (${some}; smallest M; --diagnostics full has all)`}.`;
  const splits = full ? 'splits of all seeds' : `splits of all seeds (${some}; smallest M)`;
  return {
    disagreement: 'Over all usable examples, not only a calibration split.',
    reliability:
      'Evaluation examples of all seeds pooled; n counts different examples, the bins one example once per split that measures it. ECE is the mean over splits, as in the table; that of the pooled bins is at most as large. Whiskers: 95 % percentile interval of the accuracy of a bin over ' +
      `${bootstrap === 'auto' ? BIN_RESAMPLES : bootstrap} bootstrap resamples of examples (copies together, ` +
      'temperatures and bins kept, ' +
      'generator seed 1); none on bins that are all right or all wrong, which no resample can vary.',
    loss:
      `L(beta) of Eq. (tempobj), beta = 1/tau, on the calibration split of seed ${seeds[0]}: ${LOSS_STEPS} equal ` +
      'steps from beta = 0 to ' +
      `${LOSS_REACH} times the largest optimum of the target's curves. Its slope at 0 is -M_w: where the weighted ` +
      'boundary ' +
      'margin M_w is 0 or below, the loss is least at beta = 0, which is an infinite temperature.',
    optionMass: 'Probability that all options have together, per example; 20 equal bins from 0 to 1.',
    promptTokens: 'Tokens of the plain prompt per example; equal bins of a round width, the same for all models.',
    reintroduction:
      'Fig. 2. Fitted on the calibration split, measured on the evaluation split. Back in the objective: ' +
      `${REINTRODUCTION_ORDER}. ` +
      `Share 0 is DACA; share 1 is full KL (unit weights) or SupportCal. ${mean}`,
    weightByMargin:
      `App. E. Examples of D of the calibration ${splits}. The percentile of m_n is taken within a target and ` +
      "seed, since margins have the scale of the target's logits; the bins of all of them are then put together.",
    weightBySign: `App. E. Examples of D of the calibration ${splits}.`,
    regret:
      'Temperatures on the plain logits beside the best ones of the evaluation side, means over seeds. Regret: ECE (pp) or NLL (nats) less the least ' +
      'that some temperature has on the same examples; since the best one is chosen with the labels it is measured on, a fit on other examples cannot reach 0. ' +
      `Ratio: temperature over the best one, geometric mean; above 1 it is too high${full ? '' : ` (${some})`}.`,
    riskCoverage:
      `Share of wrong answers among the surest, ranked by log odds, on the evaluation side of seed ${seeds[0]}, each example once. Intervals (Clopper and ` +
      'Pearson) hold at all ten coverages of a curve at once, level 0.95. A temperature changes no answer and, of two options, no order.',
    sensitivity:
      'SupportCal at every M from 1 to the size of the pool. Mean over targets and ' +
      `seeds${full ? '' : ` (${some})`}.`,
    sampleSize:
      'Every point is measured on the same examples: per seed, those that the split of fraction ' +
      `${Math.max(...CALIBRATION_FRACTIONS)} ` +
      'leaves for evaluation. The fit takes the beginning of the same shuffled order, so a larger fraction keeps the ' +
      'examples of a smaller one. Fewer evaluation examples than in the main tables: compare points, not tables. ' +
      `${mean}`,
  };
}

/** Lists that are there when some data set has them. */
const ON_REQUEST = [
  'loss',
  'weightByMargin',
  'weightBySign',
  'reintroduction',
  'sensitivity',
  'sampleSize',
  'combinations',
  'regret',
  'riskCoverage',
] as const;

/** The document of diagnostics.json: what stands behind the figures. */
export function buildDiagnostics(
  suite: SuitePlan,
  results: Results,
  { datasets, models }: CalibratedSuite,
  asked: AskedDiagnostics,
): Diagnostics {
  const calibrated = datasets.map(({ calibration }) => calibration);
  const lists = calibrated.map((each) => each.diagnostics);
  return {
    schemaVersion: 1,
    level: suite.diagnostics,
    notes: notesOf(suite),
    reliability: calibrated.flatMap((each) => each.reliability),
    ...resampledOf(calibrated),
    models,
    disagreement: lists.flatMap((each) => each.disagreement),
    disagreementMedians: disagreementMedians(lists.flatMap((each) => each.disagreement)),
    relativeOnly: relativeOnly(results),
    ...Object.fromEntries(
      ON_REQUEST.filter((name) => lists.some((each) => each[name] !== undefined)).map((name) => [
        name,
        lists.flatMap((each): unknown[] => each[name] ?? []),
      ]),
    ),
    ...asked,
  };
}

function resampledOf(
  calibrated: ReadonlyArray<CalibratedSuite['datasets'][number]['calibration']>,
): Pick<Diagnostics, 'resamples'> {
  const resamples = calibrated.flatMap((each) => each.resampled);
  return resamples.length === 0 ? {} : { resamples };
}

/** The lists that results.json has as well. */
export function ofResults(diagnostics: Diagnostics): NonNullable<Results['diagnostics']> {
  const names = Object.keys(resultDiagnostics) as (keyof typeof resultDiagnostics)[];
  return Object.fromEntries(names.flatMap((name) => (diagnostics[name] ? [[name, diagnostics[name]]] : [])));
}

export function disagreementMedians(
  rows: NonNullable<Diagnostics['disagreement']>,
): Diagnostics['disagreementMedians'] {
  return [...new Set(rows.map(({ dataset }) => dataset))].map((dataset) => {
    const rates = rows.filter((row) => row.dataset === dataset).map(({ rate }) => rate);
    return { dataset, targets: rates.length, median: median(rates) ?? Number.NaN };
  });
}

/** The columns of App. D, where the suite fits relative-only at all. */
function relativeOnly({ protocol, summary, macro }: Results): NonNullable<Diagnostics['relativeOnly']> {
  if (!protocol.methods.includes('relative-only')) return [];
  const rows = [...macro.map((row) => ({ ...row, target: null, eceSePp: null })), ...summary];
  return rows.flatMap(({ dataset, target, method, combinationSize, eceMeanPp, eceSePp }) =>
    method === 'daca' || method === 'relative-only' || method === 'supportcal'
      ? [{ dataset, target, method, combinationSize, eceMeanPp, eceSePp }]
      : [],
  );
}
