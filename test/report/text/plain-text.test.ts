import { expect, test } from 'vitest';
import { plainText, shorten, shortenName } from '../../../src/report/text/plain-text.js';

test('terminal escapes, bidirectional overrides and lone surrogates are removed, line breaks become a space', () => {
  expect(plainText('a\u001b[31mred\u0007\u009b2J')).toBe('a[31mred2J');
  expect(plainText('a\r\nb\tc\u2028d')).toBe('a b c d');
  expect(plainText('x\u202egpj.exe\ud800')).toBe('xgpj.exe');
  expect(plainText('\u200echa\u200b\u2060t\ufeff\u{e0041} می\u200cخواهم')).toBe('chat می\u200cخواهم');
  expect(plainText('héllo 🦙 日本')).toBe('héllo 🦙 日本');
});

test('a shortened text ends in an ellipsis and never splits a character', () => {
  expect(shorten('🦙🦙🦙🦙', 3)).toBe('🦙🦙…');
  expect(shorten('abc', 3)).toBe('abc');
});

test('a long name keeps its end, by which it differs from others of its family', () => {
  const names = ['Q4_K_M', 'Q8_0'].map((type) => shortenName(`bartowski/Meta-Llama-3.1-70B-Instruct-${type}`, 26));
  expect(names).toEqual(['bartowski/Met…truct-Q4_K_M', 'bartowski/Met…nstruct-Q8_0']);
  expect(shortenName('🦙🦙🦙🦙', 3)).toBe('🦙…🦙');
  expect(shortenName('🦙🦙🦙', 3)).toBe('🦙🦙🦙');
});
