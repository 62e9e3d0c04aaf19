import { expect, it } from 'vitest';
import { modelWork } from '../../../src/models/gguf/model-work.js';

const [F16, Q4_1, Q8_0] = [1, 3, 8];
const layer = (type: number) => [
  { name: 'blk.0.attn_norm.weight', shape: [1000], type: 0 },
  { name: 'blk.0.ffn_up.weight', shape: [1000, 2000], type },
];
const embedding = { name: 'token_embd.weight', shape: [1000, 50_000], type: Q8_0 };

it('counts a table of embeddings once a prompt where it is the output too, and not at all where it is not', () => {
  const tied = modelWork([embedding, ...layer(Q8_0)]);
  const apart = modelWork([embedding, { ...embedding, name: 'output.weight', shape: [1000, 10_000] }, ...layer(Q8_0)]);
  expect(tied.perToken).toBe(apart.perToken);
  expect([tied.perPrompt, apart.perPrompt]).toEqual([1_300_000, 260_000]);
  expect([tied.vocabulary, apart.vocabulary]).toEqual([50_000, 10_000]);
});

it('orders types by their measured kernels, not by their bits', () => {
  const [float, plain, bytes] = [F16, Q4_1, Q8_0].map((type) => modelWork(layer(type)).perToken);
  expect([float, plain, bytes]).toEqual([122_000, 110_000, 56_000]);
  // A build for the processor has other kernels of 16 bits.
  expect([F16, Q8_0].map((type) => modelWork(layer(type), true).perToken)).toEqual([63_000, bytes]);
  // A type that nobody measured counts as one without a kernel of its own.
  expect(modelWork(layer(99)).perToken).toBe(plain);
});

it('counts attention by the width of the queries, and what is no product once for each layer', () => {
  const queries = (layer: number) => ({ name: `blk.${layer}.attn_q.weight`, shape: [100, 300], type: F16 });
  const two = modelWork([queries(0), queries(1), { name: 'blk.1.attn_k.weight', shape: [100, 50], type: F16 }]);
  // Two products of 300 numbers in each layer, with every position.
  expect(two.perPosition).toBeCloseTo(2 * 2 * 300 * 0.065, 9);
  expect(two.perToken).toBeCloseTo(2 * 4000 + 65_000 * 0.059, 6);
});
