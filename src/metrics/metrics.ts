import type { Evaluation } from './evaluate.js';

/** What the metrics of a run are read from. */
export interface Measurement {
  /** null where there is no calibrated distribution; without some parts where only confidences are known. */
  readonly evaluation: Partial<Evaluation> | null;
  /** Accuracy of the method itself, which stands also where no temperature could be fitted. */
  readonly accuracy: number | null;
  readonly ownBaseAccuracy: number | null;
}

export interface Metric<Field extends string = string> {
  /** Its key in a run of results.json and its column in tables/runs.csv. */
  readonly field: Field;
  readonly name: string;
  /** What it is, in a phrase for a reader who does not know it. */
  readonly meaning: string;
  /** How the page shows it; results.json holds fractions, and nats as they are. */
  readonly unit: 'pp' | 'percent' | 'fraction' | 'nats' | 'plain';
  /** Which value is best; null: none is. */
  readonly best: 'low' | 'high' | 'zero' | null;
  /** Place among the metrics that the page offers beside the ECE, lowest first; absent: the page does not offer it. */
  readonly page?: number;
  /** Files of an earlier minor version lack the field, which is then read as null. */
  readonly added?: true;
  /** Its value; null or undefined where it cannot be computed, since nothing is filled in. */
  readonly of: (measurement: Measurement) => number | null | undefined;
}

/**
 * Every metric of a run, in the order of results.json. The schema of results.json, the fields of a run, the columns of
 * tables/runs.csv, the tables of the page and the list in docs/methods.md come from here: a new metric is one entry.
 */
export const METRICS = table([
  {
    field: 'accuracy',
    name: 'Accuracy',
    meaning: 'share of right predictions',
    unit: 'percent',
    best: 'high',
    page: 100,
    of: ({ accuracy }) => accuracy,
  },
  {
    field: 'ownBaseAccuracy',
    name: 'Accuracy of the own base',
    meaning: "share of right predictions of the target's own base",
    unit: 'percent',
    best: 'high',
    of: ({ ownBaseAccuracy }) => ownBaseAccuracy,
  },
  {
    field: 'meanConfidence',
    name: 'Mean confidence',
    meaning: 'mean probability of the predicted option',
    unit: 'percent',
    best: null,
    page: 90,
    of: ({ evaluation }) => evaluation?.meanConfidence,
  },
  {
    field: 'overconfidence',
    name: 'Over-confidence',
    meaning: 'mean confidence minus accuracy; below 0 under-confident',
    unit: 'pp',
    best: 'zero',
    page: 80,
    added: true,
    of: ({ evaluation }) => evaluation?.overconfidence,
  },
  {
    // The ECE has a table of its own on the page.
    field: 'ece',
    name: 'ECE',
    meaning: 'mean distance between confidence and accuracy over bins of confidence',
    unit: 'pp',
    best: 'low',
    of: ({ evaluation }) => evaluation?.ece,
  },
  {
    field: 'mce',
    name: 'MCE',
    meaning: 'largest gap between confidence and accuracy of a bin',
    unit: 'pp',
    best: 'low',
    page: 10,
    of: ({ evaluation }) => evaluation?.mce,
  },
  {
    field: 'rmsCe',
    name: 'RMS calibration error',
    meaning: 'root of the mean squared gap over bins',
    unit: 'pp',
    best: 'low',
    page: 20,
    added: true,
    of: ({ evaluation }) => evaluation?.rmsCe,
  },
  {
    // Kumar et al. 2019, p = 1; a little below 0 where the bins show noise only.
    field: 'debiasedEce',
    name: 'Debiased ECE',
    meaning: 'ECE less its finite-sample bias',
    unit: 'pp',
    best: 'zero',
    page: 60,
    added: true,
    of: ({ evaluation }) => evaluation?.debiasedEce,
  },
  {
    // Broecker 2012; Kumar et al. 2019.
    field: 'debiasedRmsCe',
    name: 'Debiased RMS',
    meaning: 'RMS calibration error less its bias',
    unit: 'pp',
    best: 'low',
    page: 70,
    added: true,
    of: ({ evaluation }) => evaluation?.debiasedRmsCe,
  },
  {
    field: 'adaptiveEce',
    name: 'Adaptive ECE',
    meaning: 'top-label ECE over bins with equally many examples (Mukhoti et al. 2020)',
    unit: 'pp',
    best: 'low',
    page: 30,
    of: ({ evaluation }) => evaluation?.adaptiveEce,
  },
  {
    field: 'ece15',
    name: 'ECE, 15 bins',
    meaning: 'ECE over 15 equal-width bins (Guo et al. 2017)',
    unit: 'pp',
    best: 'low',
    page: 52,
    added: true,
    of: ({ evaluation }) => evaluation?.ece15,
  },
  {
    field: 'ece20',
    name: 'ECE, 20 bins',
    meaning: 'ECE over 20 equal-width bins',
    unit: 'pp',
    best: 'low',
    page: 54,
    added: true,
    of: ({ evaluation }) => evaluation?.ece20,
  },
  {
    field: 'classwiseEce',
    name: 'Classwise ECE',
    meaning: 'mean over options of the ECE of their probability',
    unit: 'pp',
    best: 'low',
    page: 40,
    of: ({ evaluation }) => evaluation?.classwiseEce,
  },
  {
    field: 'smoothEce',
    name: 'Smooth ECE',
    meaning: 'calibration error without bins (relplot)',
    unit: 'pp',
    best: 'low',
    page: 50,
    of: ({ evaluation }) => evaluation?.smoothEce,
  },
  {
    // It is reliability - resolution + uncertainty + withinBinVariance - withinBinCovariance.
    field: 'brier',
    name: 'Brier score',
    meaning: 'squared distance to the label, 0 to 2',
    unit: 'fraction',
    best: 'low',
    page: 120,
    of: ({ evaluation }) => evaluation?.brier,
  },
  {
    field: 'brierReliability',
    name: 'Brier: reliability',
    meaning: 'part of the Brier score from calibration',
    unit: 'fraction',
    best: 'low',
    page: 130,
    added: true,
    of: ({ evaluation }) => evaluation?.brierParts?.reliability,
  },
  {
    field: 'brierResolution',
    name: 'Brier: resolution',
    meaning: 'part that knowing the bins takes away',
    unit: 'fraction',
    best: 'high',
    page: 140,
    added: true,
    of: ({ evaluation }) => evaluation?.brierParts?.resolution,
  },
  {
    field: 'brierUncertainty',
    name: 'Brier: uncertainty',
    meaning: 'variance of the labels themselves',
    unit: 'fraction',
    best: null,
    added: true,
    of: ({ evaluation }) => evaluation?.brierParts?.uncertainty,
  },
  {
    field: 'brierWithinBinVariance',
    name: 'Brier: variance within bins',
    meaning: 'spread of the probabilities inside the bins',
    unit: 'fraction',
    best: null,
    added: true,
    of: ({ evaluation }) => evaluation?.brierParts?.withinBinVariance,
  },
  {
    field: 'brierWithinBinCovariance',
    name: 'Brier: covariance within bins',
    meaning: 'twice the covariance of probability and outcome inside the bins',
    unit: 'fraction',
    best: null,
    added: true,
    of: ({ evaluation }) => evaluation?.brierParts?.withinBinCovariance,
  },
  {
    field: 'nll',
    name: 'NLL',
    meaning: 'mean negative log-likelihood of the label',
    unit: 'nats',
    best: 'low',
    page: 110,
    // JSON has no infinity: the run says `nllKind`.
    of: ({ evaluation }) => (evaluation?.nll === Number.POSITIVE_INFINITY ? null : evaluation?.nll),
  },
  {
    field: 'auroc',
    name: 'AUROC',
    meaning: 'how well confidence tells right from wrong; 0.5 is chance',
    unit: 'fraction',
    best: 'high',
    page: 150,
    of: ({ evaluation }) => evaluation?.auroc,
  },
  {
    field: 'aurc',
    name: 'AURC',
    meaning: 'error averaged over all shares of most confident answers',
    unit: 'fraction',
    best: 'low',
    page: 160,
    added: true,
    of: ({ evaluation }) => evaluation?.aurc,
  },
  {
    field: 'excessAurc',
    name: 'Excess AURC',
    meaning: 'AURC less that of a perfect order',
    unit: 'fraction',
    best: 'low',
    page: 170,
    added: true,
    of: ({ evaluation }) => evaluation?.excessAurc,
  },
]);

function table<Field extends string>(metrics: readonly Metric<Field>[]): readonly Metric<Field>[] {
  return metrics;
}

export type MetricField = (typeof METRICS)[number]['field'];
