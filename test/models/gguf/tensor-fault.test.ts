import { describe, expect, it } from 'vitest';
import { type ModelLayout, type TensorShape, tensorFault } from '../../../src/models/gguf/tensor-fault.js';

const LAYOUT: ModelLayout = { architecture: 'llama', blocks: 3, embedding: 8, feedForward: 24, vocabulary: 20 };
const WEIGHTS: Readonly<Record<string, readonly number[]>> = {
  attn_norm: [8],
  attn_q: [8, 16],
  attn_output: [16, 8],
  ffn_down: [24, 8],
};
const tensors: readonly TensorShape[] = [
  { name: 'token_embd.weight', shape: [8, 20] },
  ...[0, 1, 2].flatMap((block) =>
    Object.entries(WEIGHTS).map(([name, shape]) => ({ name: `blk.${block}.${name}.weight`, shape })),
  ),
  { name: 'output_norm.weight', shape: [8] },
];
const without = (name: string) => tensors.filter((tensor) => tensor.name !== name);
const reshaped = (name: string, shape: number[]) =>
  tensors.map((tensor) => (tensor.name === name ? { name, shape } : tensor));

describe('tensorFault', () => {
  it('takes a whole model, a vocabulary without tensors, and what it does not know', () => {
    expect(tensorFault(LAYOUT, tensors)).toBeNull();
    expect(tensorFault(LAYOUT, [])).toBeNull();
    expect(tensorFault({ ...LAYOUT, architecture: 'nemotron_h' }, tensors.slice(4))).toBeNull();
    expect(
      tensorFault({ architecture: null, blocks: null, embedding: null, feedForward: null, vocabulary: null }, tensors),
    ).toBeNull();
    expect(
      tensorFault({ ...LAYOUT, blocks: null, embedding: null, feedForward: null, vocabulary: null }, tensors),
    ).toBeNull();
  });

  it.each([
    'token_embd.weight',
    'output_norm.weight',
    'blk.0.attn_norm.weight',
    'blk.1.attn_q.weight',
    'blk.2.ffn_down.weight',
  ])('names %s when it is missing, and the architecture', (name) => {
    expect(tensorFault(LAYOUT, without(name))).toMatch(
      `lacks the tensor "${name}", which a model of the architecture llama`,
    );
  });

  it('names the first weight of a block that is missing as a whole', () => {
    expect(tensorFault({ ...LAYOUT, blocks: 4 }, tensors)).toMatch('lacks the tensor "blk.3.attn_norm.weight"');
    expect(tensorFault(LAYOUT, [tensors[0]!, tensors.at(-1)!])).toMatch('lacks the tensor "blk.0.attn_norm.weight"');
  });

  it.each([
    ['token_embd.weight', [9, 20], 'wrong shape: 9 x 20, where an embedding has 8 numbers'],
    ['token_embd.weight', [8, 21], 'wrong shape: 8 x 21, where the vocabulary has 20 tokens'],
    ['blk.1.attn_q.weight', [16, 16], 'wrong shape: 16 x 16, where an embedding has 8 numbers'],
    ['blk.2.attn_output.weight', [16, 9], 'wrong shape: 16 x 9, where an embedding has 8 numbers'],
    ['blk.2.ffn_down.weight', [23, 8], 'wrong shape: 23 x 8, where a feed-forward layer has 24 numbers'],
    ['blk.2.ffn_down.weight', [24], 'wrong shape: 24, where an embedding has 8 numbers'],
  ])('names %s in the wrong shape', (name, shape, message) => {
    expect(tensorFault(LAYOUT, reshaped(name, shape))).toContain(`"${name}" in the ${message} (architecture llama)`);
  });
});
