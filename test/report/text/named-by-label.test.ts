import { expect, it } from 'vitest';
import { namedByLabel } from '../../../src/report/text/named-by-label.js';

it('puts labels where a document names a model, and nowhere else', () => {
  const labels = { 'a-7b': 'A 7B', toString: 'odd' };
  const document = {
    runs: [{ target: 'a-7b', ownBase: 'a', selectedReferences: ['a-7b', 'c'], method: 'a-7b' }],
    health: [{ model: 'a-7b', what: 'a-7b' }],
    comparisons: [{ target: null }],
    numbers: Float64Array.of(1, 2),
  };
  expect(namedByLabel(document, labels)).toEqual({
    runs: [{ target: 'A 7B', ownBase: 'a', selectedReferences: ['A 7B', 'c'], method: 'a-7b' }],
    health: [{ model: 'A 7B', what: 'a-7b' }],
    comparisons: [{ target: null }],
    numbers: Float64Array.of(1, 2),
  });
  expect(namedByLabel({ target: 'constructor' }, labels)).toEqual({ target: 'constructor' });
});

it('is the same object where no model has a label', () => {
  const document = { target: 'a' };
  expect(namedByLabel(document, undefined)).toBe(document);
});
