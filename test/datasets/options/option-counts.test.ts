import { expect, it } from 'vitest';
import { importRow } from '../../../src/datasets/logits/import-row.js';
import { MAX_OPTIONS, rowOptions, wrongCount } from '../../../src/datasets/options/row-options.js';

const COUNTS = [0, 1, 2, 26, 27, 5_000];
const expected = (what: string) => [
  `expected at least 2 ${what}, found 0`,
  `expected at least 2 ${what}, found 1`,
  null,
  null,
  `expected at most 26 ${what}, found 27`,
  `expected at most 26 ${what}, found 5000`,
];
const row = (values: Record<string, readonly (string | number)[] | string>) => ({ values, number: 1, line: 1 });

it('rows have 2 to 26 options, and imported ones as many scores, by one rule', () => {
  expect(MAX_OPTIONS).toBe(26);
  expect(COUNTS.map((count) => wrongCount(count, 'options'))).toEqual(expected('options'));
  const mapping = { kind: 'list', field: 'options', separator: undefined } as const;
  const ofData = COUNTS.map((count) =>
    rowOptions(row({ options: Array.from({ length: count }, String) }), mapping, 'refuse'),
  );
  expect(ofData.map((found) => (found.kind === 'wrong' ? found.message : null))).toEqual(expected('options'));
  const imported = COUNTS.map((count) =>
    importRow(
      row({ id: 'q', logits: Array.from({ length: count }, (_, n) => -n) }),
      { kind: 'list' },
      { unit: 'logits' },
    ),
  );
  expect(imported.map((found) => (found.kind === 'wrong' ? found.faults[0]?.message : null))).toEqual(
    expected('numbers'),
  );
});
