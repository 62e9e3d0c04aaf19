import { expect, test } from 'vitest';
import { describeComparison } from '../../../src/cli/describe/describe-comparison.js';
import type { ComparisonDocument } from '../../../src/report/compare/comparison-document.js';

const document: ComparisonDocument = {
  sides: ['A  a: suite s', 'B  b: suite s'],
  headline: '1 row in both runs: 1 changed.',
  notes: [],
  hidden: null,
  rows: {
    head: ['target', 'ECE A', 'ECE B', 'references', 'accuracy %', 'why'],
    rows: [['chat', '5.00 ± 0.10', '4.00 ± 0.10', 'base-of-one+base-of-two', '40.0 → 41.0', '1']],
  },
  macro: { head: [], rows: [] },
  onlyIn: [],
  inputs: ['seeds: 1 → 2'],
  legend: 'ECE in pp, mean ± SE over seeds.',
};

test('all columns stand where there is room, and no line of a wide table names what is left out', () => {
  const text = describeComparison(document, Number.POSITIVE_INFINITY).join('\n');
  expect(text).toContain('base-of-one+base-of-two');
  expect(text).not.toContain('No room');
});

test('a narrow terminal goes without the widest columns of least interest, and is told which', () => {
  const lines = describeComparison(document, 60);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  const text = lines.join('\n').replaceAll('\n', ' ');
  expect(text).toContain('No room for: references;');
  expect(text).toMatch(/chat +5\.00 ± 0\.10 +4\.00 ± 0\.10 +40\.0 → 41\.0 +1/);
});
