import { expect, it } from 'vitest';
import { alignedRows, textTable } from '../../../src/cli/terminal/text-table.js';

it('columns begin at the same place in every line, and no line ends in a space', () => {
  const rows = [
    ['a', 'base', ''],
    ['longer', 'post-trained of a', 'x'],
  ];
  expect(textTable(['id', 'role', ''], rows)).toEqual(['id      role', 'a       base', 'longer  post-trained of a  x']);
  expect(alignedRows(rows)).toEqual(['  a       base', '  longer  post-trained of a  x']);
  expect(alignedRows([])).toEqual([]);
});
