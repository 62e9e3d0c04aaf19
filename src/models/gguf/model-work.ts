import type { TensorShape } from './tensor-fault.js';

/** What a model takes of one CPU core, in nanoseconds. */
export interface ModelWork {
  /** For every token that is evaluated, but for its attention. */
  readonly perToken: number;
  /** For every prompt whose logits are read: the output matrix, which other tokens do without. */
  readonly perPrompt: number;
  /** For every token and every position of the cache that it looks back on. */
  readonly perPosition: number;
  /** Tokens of its vocabulary; 0: no output matrix says. */
  readonly vocabulary: number;
}

/**
 * Picoseconds of a core for one weight and token, by the number of its type: measured with prompts of 100 tokens on a
 * core with AVX-512 (bench/README.md). Types that llama.cpp repacks take half as long as F16 and those that it does
 * not.
 */
const PICOSECONDS: Readonly<Record<number, number>> = {
  0: 59,
  1: 59,
  30: 59, // F32, F16, BF16
  2: 26,
  8: 26, // Q4_0, Q8_0
  6: 29,
  10: 28,
  12: 28,
  20: 23, // Q5_0, Q2_K, Q4_K, IQ4_NL
  11: 40,
  13: 40,
  14: 40, // Q3_K, Q5_K, Q6_K
};
/** Q4_1, and every type that was not measured. */
const OTHERS = 53;
/** Picoseconds of a product with what the cache holds, which has 16 bits a number. */
const CACHED = 65;
/** Types whose products a build for the processor (`supportcal setup-cpu`) makes in half the time. */
const WHOLE = new Set<number | undefined>([0, 1, 30]);
/** Nanoseconds of a token in a layer for all that is no product: norms, positions, softmax (the demo models' runs). */
const LAYER = 4000;
/** Tables of which a token takes a row, and no product. */
const LOOKED_UP = /^(token_embd|position_embd|per_layer_token_embd|token_types)\./;
const OUTPUT = 'output.weight';

/**
 * The work of a model by the tensors of its file. The table of embeddings is none, unless it is the output matrix too.
 *
 * @param ownKernels whether llama.cpp was built for the processor, in place of the prebuilt binary
 */
export function modelWork(tensors: readonly TensorShape[], ownKernels = false): ModelWork {
  const output =
    tensors.find(({ name }) => name === OUTPUT) ?? tensors.find(({ name }) => name === 'token_embd.weight');
  const layers = tensors.filter(
    ({ name, shape }) => name.endsWith('.weight') && shape.length > 1 && name !== OUTPUT && !LOOKED_UP.test(name),
  );
  const queries = layers.filter(({ name }) => /attn_(q|qkv)\.weight$/.test(name));
  const width = queries.reduce((sum, { shape }) => sum + (shape[1] ?? 0), 0);
  const nanoseconds = (tensor: TensorShape) => productTime(tensor) / (ownKernels && WHOLE.has(tensor.type) ? 2 : 1);
  const blocks = new Set(layers.flatMap(({ name }) => /^blk\.\d+\./.exec(name)?.[0] ?? []));
  return {
    perToken: blocks.size * LAYER + layers.reduce((sum, tensor) => sum + nanoseconds(tensor), 0),
    perPrompt: output === undefined ? 0 : nanoseconds(output),
    perPosition: (2 * width * CACHED) / (ownKernels ? 2000 : 1000),
    vocabulary: output?.shape[1] ?? 0,
  };
}

function productTime({ shape, type }: TensorShape): number {
  const weights = shape.reduce((product, axis) => product * axis, 1);
  return (weights * (PICOSECONDS[type ?? -1] ?? OTHERS)) / 1000;
}
