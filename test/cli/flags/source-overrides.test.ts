import { expect, test } from 'vitest';
import { sourceOverrides } from '../../../src/cli/flags/source-overrides.js';

test('takes a file, or one file for each field; a path may hold : and =', () => {
  expect([...sourceOverrides(['a=C:\\rows=1.csv', 'b:text=t.txt', 'b:label=l.txt'])]).toEqual([
    ['a', 'C:\\rows=1.csv'],
    ['b', { text: 't.txt', label: 'l.txt' }],
  ]);
});

test.each([[['rows.csv']], [['a=x', 'a=y']], [['a=x', 'a:text=y']], [['a:text=y', 'a=x']]])('refuses %j', (values) => {
  expect(() => sourceOverrides(values)).toThrow(/^--source .*(expected ID=FILE|already given)/);
});
