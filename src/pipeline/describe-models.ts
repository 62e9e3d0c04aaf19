import { evaluate } from '../metrics/evaluate.js';
import type { Diagnostics } from '../report/results-schema.js';
import type { DatasetScores } from './dataset-scores.js';

/**
 * How each model does by itself on all examples that it has logits for: no split, no temperature.
 *
 * @param optionsShown false in text mode, where a model cannot know the options and a small mass of theirs says nothing
 */
export function describeModels(scores: DatasetScores, bins: number, optionsShown: boolean): Diagnostics['models'] {
  return [...scores.models.values()].map(({ model, table, rowOfExample, failures }) => {
    const labelOfRow = new Int32Array(table.ids.length).fill(-1);
    rowOfExample.forEach((row, i) => {
      if (row !== -1) labelOfRow[row] = scores.labels[i]!;
    });
    const rows = rowOfExample.filter((row) => row !== -1);
    const evaluation = evaluate(table.logits, rows, labelOfRow, 1, { bins });
    return {
      dataset: scores.dataset,
      model,
      examples: rows.length,
      failed: failures.length,
      accuracy: evaluation?.accuracy ?? null,
      meanConfidence: evaluation?.meanConfidence ?? null,
      ece: evaluation?.ece ?? null,
      medianOptionMass: optionsShown
        ? median(Array.from(rows, (row) => table.optionMass[row]!).filter((mass) => !Number.isNaN(mass)))
        : null,
    };
  });
}

function median(values: number[]): number | null {
  if (values.length === 0) return null;
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
}
