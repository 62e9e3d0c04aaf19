import type { TensorShape } from './tensor-fault.js';

/** What a model takes of one CPU core, in nanoseconds. */
export interface ModelWork {
  /** For every token that is evaluated. */
  readonly perToken: number;
  /** For every prompt whose logits are read: the output matrix, which other tokens do without. */
  readonly perPrompt: number;
}

/**
 * Picoseconds of a core for one weight and token, by the number of its type: measured with prompts of 100 tokens on a
 * core with AVX-512 (bench/README.md). Types that llama.cpp repacks take half as long as F16 and those that it does
 * not.
 */
const PICOSECONDS: Readonly<Record<number, number>> = {
  ...{ 0: 65, 1: 65, 30: 65 }, // F32, F16, BF16
  ...{ 2: 31, 8: 31 }, // Q4_0, Q8_0
  ...{ 6: 34, 10: 33, 12: 33, 20: 27 }, // Q5_0, Q2_K, Q4_K, IQ4_NL
  ...{ 11: 46, 13: 46, 14: 46 }, // Q3_K, Q5_K, Q6_K
};
/** Q4_1, and every type that was not measured. */
const OTHERS = 60;
/** Tables of which a token takes a row, and no product. */
const LOOKED_UP = /^(token_embd|position_embd|per_layer_token_embd|token_types)\./;
const OUTPUT = 'output.weight';

/**
 * The work of a model by the tensors of its file. The table of embeddings is none, unless it is the output matrix too.
 */
export function modelWork(tensors: readonly TensorShape[]): ModelWork {
  const output =
    tensors.find(({ name }) => name === OUTPUT) ?? tensors.find(({ name }) => name === 'token_embd.weight');
  const layers = tensors.filter(
    ({ name, shape }) => name.endsWith('.weight') && shape.length > 1 && name !== OUTPUT && !LOOKED_UP.test(name),
  );
  return {
    perToken: layers.reduce((sum, tensor) => sum + nanoseconds(tensor), 0),
    perPrompt: output === undefined ? 0 : nanoseconds(output),
  };
}

function nanoseconds({ shape, type }: TensorShape): number {
  const weights = shape.reduce((product, axis) => product * axis, 1);
  return (weights * (PICOSECONDS[type ?? -1] ?? OTHERS)) / 1000;
}
