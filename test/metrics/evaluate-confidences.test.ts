import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/metrics/evaluate.js';
import { evaluateConfidences } from '../../src/metrics/evaluate-confidences.js';
import { raggedRows, rowOf } from '../../src/numeric/ragged-rows.js';
import { softmax } from '../../src/numeric/softmax.js';

const count = 60;
const logits = raggedRows(
  Array.from({ length: count }, (_, n) => Array.from({ length: 2 + (n % 3) }, (_, k) => 2 * Math.sin(5 * n + 3 * k))),
);
const labels = Int32Array.from({ length: count }, (_, n) => (n % 11 === 10 ? -1 : (n * 7) % 2));
const all = Int32Array.from({ length: count }, (_, n) => n);
const distributions = Array.from(all, (n) => Array.from(softmax(rowOf(logits, n))));
const given = {
  predictions: Int32Array.from(distributions, (each) => each.indexOf(Math.max(...each))),
  confidences: Float64Array.from(distributions, (each) => Math.max(...each)),
};

describe('evaluateConfidences', () => {
  it('has the ECE of 15 and 20 bins that those bins give, whatever the bins of ece are', () => {
    for (const edgeRule of ['left-owned', 'right-owned'] as const) {
      const found = evaluateConfidences(given, all, labels, { bins: 4, edgeRule })!;
      for (const bins of [15, 20] as const)
        expect(found[`ece${bins}`]).toBeCloseTo(evaluateConfidences(given, all, labels, { bins, edgeRule })!.ece, 14);
    }
  });

  it('gives what the whole distributions give, but for what needs the other options', () => {
    for (const binning of [{}, { bins: 7, binEdges: 'equal-mass' as const }, { edgeRule: 'right-owned' as const }]) {
      const {
        classwiseEce: _,
        classBins: _____,
        brier: __,
        brierParts: ___,
        nll: ____,
        ...whole
      } = evaluate({ logits, indexes: all, labels }, 1, binning)!;
      const found = evaluateConfidences(given, all, labels, binning)!;
      expect(Object.keys(found).sort()).toEqual(Object.keys(whole).sort());
      expect(Array.from(found.examples)).toEqual(Array.from(whole.examples));
      for (const key of [
        'accuracy',
        'meanConfidence',
        'ece',
        'mce',
        'adaptiveEce',
        'smoothEce',
        'auroc',
        'aurc',
      ] as const)
        expect(found[key]).toBeCloseTo(whole[key]!, 12);
    }
  });

  it('leaves out examples without a label or without an answer, and measures the given ones only', () => {
    const predictions = given.predictions.map((option, n) => (n < 5 ? -1 : option));
    const found = evaluateConfidences({ ...given, predictions }, all.subarray(0, 20), labels)!;
    expect(Array.from(found.examples)).toEqual([5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(found.count).toBe(14);
    expect(evaluateConfidences({ ...given, predictions }, all.subarray(0, 5), labels)).toBeNull();
  });
});
