import { GgmlType } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { exactAlone, exactInCompany, type WeightTensor } from '../../../src/engine/llama/exact-in-company.js';
import { shortTogether } from '../../../src/engine/llama/passes-of.js';

const matrix = (ggmlType: GgmlType, name = 'blk.0.ffn_down.weight'): WeightTensor => {
  return { name, ggmlType, dimensions: [1024, 64] };
};
const norm: WeightTensor = { name: 'output_norm.weight', ggmlType: GgmlType.F32, dimensions: [1024] };
const FEATURES = 'CPU : SSE3 = 1 | AVX = 1 | AVX2 = 1 | F16C = 1';

describe('exactAlone', () => {
  it('holds of files whose matrices are in blocks, norms aside', () => {
    expect(exactAlone([matrix(GgmlType.Q8_0), matrix(GgmlType.Q6_K), norm], FEATURES, 'x64')).toBe(true);
  });

  it('does not hold where a single row has a kernel of its own: 16 bits, groups of four rows, experts', () => {
    for (const type of [GgmlType.F16, GgmlType.BF16, GgmlType.F32, GgmlType.Q4_K])
      expect(exactAlone([matrix(GgmlType.Q8_0), matrix(type), norm], FEATURES, 'x64')).toBe(false);
    expect(exactInCompany([matrix(GgmlType.F16), norm], 'x64')).toBe(true);
    expect(exactAlone([matrix(GgmlType.Q8_0, 'blk.0.ffn_up_exps.weight')], FEATURES, 'x64')).toBe(false);
  });

  it('does not hold on processors that nobody has looked at', () => {
    expect(exactAlone([matrix(GgmlType.Q8_0)], 'AVX = 1 | AVX2 = 0', 'x64')).toBe(false);
    expect(exactAlone([matrix(GgmlType.Q8_0)], FEATURES, 'arm64')).toBe(false);
    expect(exactAlone([], FEATURES, 'x64')).toBe(false);
  });
});

describe('shortTogether', () => {
  const passes = (lengths: readonly number[], sequences: number) =>
    shortTogether(lengths, (length) => length, sequences);

  it('puts short neighbours into one pass, in their order, as many as sequences and 256 tokens allow', () => {
    expect(passes([40, 40, 39, 39, 39], 4)).toEqual([[40, 40, 39, 39], [39]]);
    expect(passes([90, 88, 88], 4)).toEqual([[90, 88], [88]]);
  });

  it('keeps those apart that would need much filler', () => {
    expect(passes([64, 62, 61, 60], 4)).toEqual([
      [64, 62],
      [61, 60],
    ]);
    expect(passes([59, 60, 61, 62], 4)).toEqual([
      [59, 60],
      [61, 62],
    ]);
  });

  it('gives each a pass of its own with one sequence, or where it is long', () => {
    expect(passes([36, 36], 1)).toEqual([[36], [36]]);
    expect(passes([300, 129, 128], 4)).toEqual([[300], [129], [128]]);
  });
});
