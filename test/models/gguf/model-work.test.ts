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
  expect([tied.perPrompt / tied.perToken, apart.perPrompt / apart.perToken]).toEqual([25, 5]);
});

it('orders types by their measured kernels, not by their bits', () => {
  const [float, plain, bytes] = [F16, Q4_1, Q8_0].map((type) => modelWork(layer(type)).perToken);
  expect([float, plain, bytes]).toEqual([130_000, 120_000, 62_000]);
  // A type that nobody measured counts as one without a kernel of its own.
  expect(modelWork(layer(99)).perToken).toBe(plain);
});
