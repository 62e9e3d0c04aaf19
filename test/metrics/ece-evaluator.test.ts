import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eceEvaluator } from '../../src/metrics/ece-evaluator.js';
import { evaluate } from '../../src/metrics/evaluate.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

const row = fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 2, maxLength: 6 });
const example = fc.record({ logits: row, label: fc.integer({ min: -1, max: 1 }), taken: fc.boolean() });

test.each(['equal-width', 'equal-mass'] as const)(
  'the points of a curve are the ECE of evaluate to the bit, %s',
  (binEdges) => {
    const betas = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-3, max: 1e3, noNaN: true })), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(example, { minLength: 1, maxLength: 40 }), betas, (examples, inverseTemperatures) => {
        const logits = raggedRows(examples.map((each) => each.logits));
        const labels = Int32Array.from(examples, (each) => each.label);
        const indexes = Int32Array.from(examples.keys()).filter((n) => examples[n]!.taken);
        const eceAt = eceEvaluator(logits, indexes, labels, { binEdges });
        for (const beta of inverseTemperatures)
          expect(eceAt(beta)).toBe(evaluate({ logits, indexes, labels }, beta, { binEdges })?.ece ?? null);
      }),
    );
  },
);
