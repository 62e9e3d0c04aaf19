import { GgmlType, type LlamaContextOptions, type LlamaModel } from 'node-llama-cpp';
import type { KvType } from '../../config/models-schema.js';
import type { ContextRequest } from '../backend.js';

/** How every context of a model is made. */
export function contextOptions(model: LlamaModel, request: ContextRequest): LlamaContextOptions {
  const { contextSize, sequences, batchSize, threads, lora = [], kvType } = request;
  return {
    contextSize,
    sequences,
    batchSize,
    threads,
    flashAttention: flashAttention(model, kvType),
    // A sequence can be cut back to its prefix only while a sliding window has not dropped that.
    swaFullCache: true,
    failedCreationRemedy: false,
    ...(lora.length > 0 && {
      lora: { adapters: lora.map(({ path, scale }) => ({ filePath: path, scale })) },
    }),
    ...(kvType !== undefined && {
      experimentalKvCacheKeyType: ggmlType(kvType),
      experimentalKvCacheValueType: ggmlType(kvType),
    }),
  };
}

/**
 * On a CPU llama.cpp's flash attention costs a third of the rows per second on short prompts (bench/); values of the KV
 * cache that are stored in blocks can be read by it only.
 */
export function flashAttention(model: LlamaModel, kvType: KvType | undefined): boolean | 'auto' {
  if (kvType?.includes('q')) return true;
  return model.llama.gpu === false ? false : 'auto';
}

export function ggmlType(kvType: KvType): GgmlType {
  return GgmlType[kvType.toUpperCase() as keyof typeof GgmlType];
}
