import { quoted } from './header-reader.js';

export interface TensorShape {
  readonly name: string;
  /** Rows come last: `[embedding, vocabulary]` for the table of embeddings. */
  readonly shape: readonly number[];
  /** Number of its ggml type. */
  readonly type?: number;
}

/** What the keys of a header say about its tensors; null where it lacks them. */
export interface ModelLayout {
  readonly architecture: string | null;
  /** `ARCHITECTURE.block_count` and `ARCHITECTURE.embedding_length`. */
  readonly blocks: number | null;
  readonly embedding: number | null;
  /** `ARCHITECTURE.feed_forward_length`, where all blocks have the same. */
  readonly feedForward: number | null;
  /** What is wrong with the keys that say how large the model is; absent or null: nothing. */
  readonly keyFault?: string | null;
  /** Entries of `tokenizer.ggml.tokens`. */
  readonly vocabulary: number | null;
}

/**
 * Architectures whose blocks all have the same weights; those of hybrids and mixtures may differ from block to block.
 */
const UNIFORM: ReadonlySet<string> = new Set([
  'llama',
  'qwen2',
  'qwen3',
  'gemma',
  'gemma2',
  'gemma3',
  'phi3',
  'starcoder2',
  'olmo2',
  'smollm3',
  'granite',
  'internlm2',
  'mistral3',
]);
const BLOCK = /^blk\.(\d+)\.(.+\.weight)$/;
/** No model has more; a false count would make a long list. */
const MOST_BLOCKS = 4096;
/** Which axis of a weight is as long as an embedding. */
const EMBEDDING_AXIS: Readonly<Record<string, number>> = {
  'token_embd.weight': 0,
  'output.weight': 0,
  'output_norm.weight': 0,
  'attn_norm.weight': 0,
  'ffn_norm.weight': 0,
  'attn_q.weight': 0,
  'attn_k.weight': 0,
  'attn_v.weight': 0,
  'attn_output.weight': 1,
  'ffn_gate.weight': 0,
  'ffn_up.weight': 0,
  'ffn_down.weight': 1,
};
const FEED_FORWARD_AXIS: Readonly<Record<string, number>> = { 'ffn_gate.weight': 1, 'ffn_down.weight': 0 };
const ADVICE =
  'it was converted wrongly or by an old converter; fetch it again, or convert it with a current llama.cpp';

/**
 * What llama.cpp would refuse a model for after its header was read: a weight that is missing, or one of another shape
 * than the keys say; null when nothing is wrong that can be seen here. A file without tensors is a vocabulary alone.
 *
 * @param tensors those of all parts
 */
export function tensorFault(layout: ModelLayout, tensors: readonly TensorShape[]): string | null {
  const { architecture } = layout;
  if (architecture === null || !UNIFORM.has(architecture) || tensors.length === 0) return null;
  const missing = missingTensor(layout.blocks, tensors);
  if (missing !== null)
    return `lacks the tensor ${quoted(missing)}, which a model of the architecture ${architecture} needs: ${ADVICE}`;
  if (layout.keyFault) return `${layout.keyFault}, which a model of the architecture ${architecture} needs: ${ADVICE}`;
  for (const tensor of tensors) {
    const wrong = shapeFault(tensor, layout);
    if (wrong !== null) return `${wrong} (architecture ${architecture}): ${ADVICE}`;
  }
  return null;
}

function missingTensor(count: number | null, tensors: readonly TensorShape[]): string | null {
  const names = new Set(tensors.map(({ name }) => name));
  const global = ['token_embd.weight', 'output_norm.weight'].find((name) => !names.has(name));
  if (global !== undefined) return global;
  if (count === null || count > MOST_BLOCKS) return null;
  for (const weight of weightsOfBlocks(tensors, count)) {
    for (let block = 0; block < count; block++)
      if (!names.has(`blk.${block}.${weight}`)) return `blk.${block}.${weight}`;
  }
  return null;
}

/** Weights that more than half of the blocks have; that of the norm, which every block has, when none is found. */
function weightsOfBlocks(tensors: readonly TensorShape[], count: number): string[] {
  const blocksWith = new Map<string, number>();
  for (const { name } of tensors) {
    const [, block, weight] = BLOCK.exec(name) ?? [];
    if (weight !== undefined && Number(block) < count) blocksWith.set(weight, (blocksWith.get(weight) ?? 0) + 1);
  }
  const common = [...blocksWith].flatMap(([weight, blocks]) => (blocks > count / 2 ? [weight] : []));
  return common.length === 0 ? ['attn_norm.weight'] : common;
}

function shapeFault({ name, shape }: TensorShape, layout: ModelLayout): string | null {
  const { embedding, feedForward, vocabulary } = layout;
  const wrong = (what: string) => `has the tensor ${quoted(name)} in the wrong shape: ${shape.join(' x ')}, ${what}`;
  const weight = BLOCK.exec(name)?.[2] ?? name;
  const axis = EMBEDDING_AXIS[weight];
  if (axis !== undefined && embedding !== null && shape[axis] !== embedding)
    return wrong(`where an embedding has ${embedding} numbers`);
  const inner = FEED_FORWARD_AXIS[weight];
  if (inner !== undefined && feedForward !== null && shape[inner] !== feedForward)
    return wrong(`where a feed-forward layer has ${feedForward} numbers`);
  const rows = name === 'token_embd.weight' || name === 'output.weight' ? vocabulary : null;
  return rows === null || shape[1] === rows ? null : wrong(`where the vocabulary has ${rows} tokens`);
}
