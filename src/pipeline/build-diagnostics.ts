import { REINTRODUCTION_ORDER } from '../calibration/reintroduction.js';
import type { SuitePlan } from '../config/plan-suite.js';
import { median } from '../numeric/median.js';
import type { Diagnostics, Results } from '../report/results-schema.js';
import type { DatasetCalibration } from './calibrate-dataset.js';
import { CALIBRATION_FRACTIONS } from './diagnostics/dataset-diagnostics.js';
import type { elicitationReport } from './elicitation-report.js';
import type { rotationReport } from './rotation-costs.js';

/** How the lists were made; report.md prints these lines under its tables. */
const BASIC_NOTES = {
  disagreement: 'Over all usable examples, not only a calibration split.',
};
const FULL_NOTES = {
  reintroduction:
    `Fig. 2. Fitted on the calibration split, measured on the evaluation split. Back in the objective: ${REINTRODUCTION_ORDER}. ` +
    'Share 0 is DACA; share 1 is full KL (unit weights) or SupportCal.',
  weightByMargin:
    'App. E. Examples of D of the calibration splits of all seeds. The percentile of m_n is taken within a target and ' +
    "seed, since margins have the scale of the target's logits; the bins of all of them are then put together.",
  weightBySign: 'App. E. Examples of D of the calibration splits of all seeds.',
  sensitivity: 'SupportCal at every M from 1 to the size of the pool.',
  sampleSize:
    `Every point is measured on the same examples: per seed, those that the split of fraction ${Math.max(...CALIBRATION_FRACTIONS)} ` +
    'leaves for evaluation. The fit takes the beginning of the same shuffled order, so a larger fraction keeps the ' +
    'examples of a smaller one. Fewer evaluation examples than in the main tables: compare points, not tables.',
};

/** The document of diagnostics.json: what stands behind the figures. */
export function buildDiagnostics(
  plan: SuitePlan,
  results: Results,
  models: Diagnostics['models'],
  calibrated: readonly DatasetCalibration[],
  asked: ReturnType<typeof rotationReport> & ReturnType<typeof elicitationReport>,
): Diagnostics {
  const lists = calibrated.map((each) => each.diagnostics);
  return {
    schemaVersion: 1,
    level: plan.diagnostics,
    notes: plan.diagnostics === 'full' ? { ...BASIC_NOTES, ...FULL_NOTES } : BASIC_NOTES,
    reliability: calibrated.flatMap((each) => each.reliability),
    models,
    disagreement: lists.flatMap((each) => each.disagreement),
    disagreementMedians: disagreementMedians(lists.flatMap((each) => each.disagreement)),
    relativeOnly: relativeOnly(results),
    ...(plan.diagnostics === 'full' && {
      weightByMargin: lists.flatMap((each) => each.weightByMargin ?? []),
      weightBySign: lists.flatMap((each) => each.weightBySign ?? []),
      reintroduction: lists.flatMap((each) => each.reintroduction ?? []),
      sensitivity: lists.flatMap((each) => each.sensitivity ?? []),
      sampleSize: lists.flatMap((each) => each.sampleSize ?? []),
    }),
    ...asked,
    ...(plan.listCombinations && { combinations: lists.flatMap((each) => each.combinations ?? []) }),
  };
}

function disagreementMedians(rows: NonNullable<Diagnostics['disagreement']>): Diagnostics['disagreementMedians'] {
  return [...new Set(rows.map(({ dataset }) => dataset))].map((dataset) => {
    const rates = rows.filter((row) => row.dataset === dataset).map(({ rate }) => rate);
    return { dataset, targets: rates.length, median: median(rates)! };
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
