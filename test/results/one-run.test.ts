import { expect, test } from 'vitest';
import { documentHash } from '../../src/results/one-run.js';

test('bytes have the hash of their text, whatever line ends a tool has given either', () => {
  for (const text of ['{"a":"ä€😀"}\n', '{}\r\n{}\n', '\ufeff{}', ''])
    expect(documentHash(Buffer.from(text))).toBe(documentHash(text.replace(/^\ufeff/, '')));
  expect(documentHash('{}\r\n')).toBe(documentHash('{}\n'));
});
