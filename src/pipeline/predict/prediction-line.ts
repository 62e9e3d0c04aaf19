import type { Prediction } from '../../core/calibrated-prediction.js';
import { type CsvValue, csvText } from '../../files/csv-cell.js';

/** What is said of one question. */
export type PredictedRow =
  | (Prediction & {
      /** abstain: the confidence is below the threshold of the run, so that somebody else should answer. */
      readonly status: 'ok' | 'abstain';
      readonly id: string;
      /** What stood for the option in the prompt, and its text; null where they are not known. */
      readonly predictionLabel: string | null;
      readonly predictionText: string | null;
      /** The model file is not the one that the temperature was fitted to; absent: it is, or nobody knows. */
      readonly otherModel?: boolean;
      /** Share of the next token that goes to the options, and length of the prompt; absent: not known. */
      readonly optionMass?: number;
      readonly promptTokens?: number;
    })
  | { readonly status: 'failed'; readonly id: string; readonly reason: string };

export type PredictionFormat = 'jsonl' | 'csv';

const COLUMNS = ['id', 'status', 'prediction', 'predictionLabel', 'predictionText', 'confidence', 'rawConfidence'];

/** Columns that were added later stand behind. */
const LATER_COLUMNS = ['otherModel', 'optionMass', 'promptTokens'];

/** What stands above all lines. */
export function predictionHead(format: PredictionFormat): string {
  return format === 'csv' ? csvText([[...COLUMNS, 'probabilities', 'reason', ...LATER_COLUMNS]]) : '';
}

/**
 * One line with its line break. Numbers at full precision; in CSV the K probabilities are one cell with a JSON list.
 */
export function predictionLine(row: PredictedRow, format: PredictionFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(row)}\n`;
  if (row.status === 'failed')
    return csvText([
      [row.id, row.status, ...COLUMNS.slice(2).map(() => null), null, row.reason, ...LATER_COLUMNS.map(() => null)],
    ]);
  const { id, status, prediction, predictionLabel, predictionText, confidence, rawConfidence, probabilities } = row;
  const cells: CsvValue[] = [id, status, prediction, predictionLabel, predictionText, confidence, rawConfidence];
  const { otherModel, optionMass = null, promptTokens = null } = row;
  const later = [otherModel ? 'true' : null, optionMass, promptTokens];
  return csvText([[...cells, JSON.stringify(probabilities), null, ...later]]);
}
