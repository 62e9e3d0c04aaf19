import type { Binning } from '../metrics/binning.js';
import { ece } from '../metrics/ece.js';
import { argmax } from '../numeric/argmax.js';
import { mean } from '../numeric/mean.js';
import { median } from '../numeric/median.js';
import type { Diagnostics } from '../report/results-schema.js';
import type { DatasetScores, ModelScores } from './dataset-scores.js';

/**
 * How each model does by itself on all examples that it has logits for: no split, no temperature.
 *
 * @param optionsShown false in text mode, where a model cannot know the options and a small mass of theirs says nothing
 */
export function describeModels(scores: DatasetScores, binning: Binning, optionsShown: boolean): Diagnostics['models'] {
  return [...scores.models.values()].map((each) => {
    const { confidences, correct } = labelledConfidences(each, scores.labels);
    const labelled = confidences.length > 0;
    return {
      dataset: scores.dataset,
      model: each.model,
      examples: scores.ids.length - each.failures.length,
      failed: each.failures.length,
      accuracy: labelled ? correct.reduce((sum, hit) => sum + hit, 0) / correct.length : null,
      meanConfidence: mean(confidences),
      ece: labelled ? ece(confidences, correct, binning) : null,
      medianOptionMass: optionsShown ? medianOptionMass(each) : null,
    };
  });
}

/** Top probability of every usable labelled example, and 1 where the prediction is right. */
function labelledConfidences({ table, rowOfExample }: ModelScores, labels: Int32Array) {
  const { offsets, values } = table.logits;
  const confidences = new Float64Array(rowOfExample.length);
  const correct = new Uint8Array(rowOfExample.length);
  let count = 0;
  for (let i = 0; i < rowOfExample.length; i++) {
    const row = rowOfExample[i]!;
    if (row === -1 || labels[i] === -1) continue;
    const [start, end] = [offsets[row]!, offsets[row + 1]!];
    const predicted = argmax(values, start, end);
    const max = values[start + predicted]!;
    let total = 0;
    for (let k = start; k < end; k++) total += k === start + predicted ? 1 : Math.exp(values[k]! - max);
    confidences[count] = 1 / total;
    correct[count++] = predicted === labels[i] ? 1 : 0;
  }
  return { confidences: confidences.subarray(0, count), correct: correct.subarray(0, count) };
}

function medianOptionMass({ table, rowOfExample }: ModelScores): number | null {
  const masses = new Float64Array(rowOfExample.length);
  let count = 0;
  for (let i = 0; i < rowOfExample.length; i++) {
    const row = rowOfExample[i]!;
    if (row !== -1 && !Number.isNaN(table.optionMass[row]!)) masses[count++] = table.optionMass[row]!;
  }
  return median(masses.subarray(0, count));
}
