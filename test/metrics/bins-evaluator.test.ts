import fc from 'fast-check';
import { expect, test } from 'vitest';
import { binsEvaluator } from '../../src/metrics/bins-evaluator.js';
import { evaluate } from '../../src/metrics/evaluate.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

const row = fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 2, maxLength: 6 });
const example = fc.record({ logits: row, label: fc.integer({ min: -1, max: 1 }), taken: fc.boolean() });

test.each(['equal-width', 'equal-mass'] as const)(
  'accuracy, confidences and %s bins are those of evaluate to the bit',
  (binEdges) => {
    fc.assert(
      fc.property(fc.array(example, { minLength: 1, maxLength: 40 }), (examples) => {
        const logits = raggedRows(examples.map((each) => each.logits));
        const labels = Int32Array.from(examples, (each) => each.label);
        const indexes = Int32Array.from(examples.keys()).filter((n) => examples[n]!.taken);
        const whole = evaluate({ logits, indexes, labels }, 1, { binEdges });
        const got = binsEvaluator(logits, labels, { binEdges })(indexes);
        expect(got === null).toBe(whole === null);
        if (whole === null) return;
        const { accuracy, bins, examples: measured, confidences, correct } = whole;
        expect(got).toEqual({ accuracy, bins, examples: measured, confidences, correct });
      }),
    );
  },
);
