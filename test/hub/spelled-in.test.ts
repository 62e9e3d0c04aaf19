import { describe, expect, it } from 'vitest';
import { spelledIn } from '../../src/hub/spelled-in.js';

const listed = ['m.Q8_0.gguf', 'm.f16.gguf', 'BF16/m-BF16-00001-of-00002.gguf', 'BF16/m-BF16-00002-of-00002.gguf'];

describe('spelledIn', () => {
  it.each([
    ['the very file', 'm.Q8_0.gguf', 'm.Q8_0.gguf'],
    ['another case', 'm.F16.gguf', 'm.f16.gguf'],
    ['parts in a folder of their own, by the first of them', 'm.BF16.gguf', 'BF16/m-BF16-00001-of-00002.gguf'],
    ['nothing alike', 'm.Q4_K_M.gguf', 'm.Q4_K_M.gguf'],
  ])('finds %s', (_, asked, found) => {
    expect(spelledIn(listed, asked)).toBe(found);
  });

  it('chooses nothing among several', () => {
    expect(spelledIn(['m-bf16.gguf', 'old/m.BF16.gguf'], 'm.bf16.gguf')).toBe('m.bf16.gguf');
  });
});
