import { expect, test } from 'vitest';
import { decodeArrowFile } from '../../src/arrow/decode-arrow-file.js';
import { encodeArrowFile } from '../../src/arrow/encode-arrow-file.js';

const ids = (count: number, last: string | null) =>
  Array.from({ length: count }, (_, n) => (n === count - 1 ? last : `q${n}`));

function decoded(values: readonly (string | null)[]) {
  const column = decodeArrowFile(encodeArrowFile({ id: { type: 'utf8', values } })).id!;
  return column.type === 'utf8' ? column.values : [];
}

test('equal text columns of several files are one list; one other character or null makes another list', () => {
  const first = decoded(ids(70_000, 'last'));
  expect(decoded(ids(70_000, 'last'))).toBe(first);
  for (const last of ['lasT', null, 'las']) {
    const other = decoded(ids(70_000, last));
    expect(other).not.toBe(first);
    expect(other.at(-1)).toBe(last);
    expect(other.at(-2)).toBe('q69998');
  }
  expect(first.at(-1)).toBe('last');
});
