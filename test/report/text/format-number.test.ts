import { expect, test } from 'vitest';
import {
  formatCount,
  formatFixed,
  formatPercent,
  formatSigned,
  formatSignificant,
} from '../../../src/report/text/format-number.js';

test('null is n/a in every format', () => {
  expect([formatFixed(null), formatPercent(null), formatSigned(null), formatSignificant(null)]).toEqual(
    Array(4).fill('n/a'),
  );
});

test('a difference carries its sign, and none where it rounds to zero', () => {
  expect([16.14, -0.44, 0.04, -0.04].map((value) => formatSigned(value))).toEqual(['+16.1', '-0.4', '0.0', '0.0']);
});

test('temperatures of every magnitude keep four digits', () => {
  expect([1, 1442.695, 0.001442695, 1.5e-12, 3e9].map((value) => formatSignificant(value))).toEqual([
    ...['1.000', '1443', '0.001443', '1.500e-12', '3.000e+9'],
  ]);
});

test('counts have thousands separators', () => {
  expect([7, 4183, 1000000].map(formatCount)).toEqual(['7', '4,183', '1,000,000']);
});
