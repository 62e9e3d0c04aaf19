import { GgmlType, type LlamaContextOptions } from 'node-llama-cpp';
import type { KvType } from '../../config/models-schema.js';
import type { ContextRequest } from '../protocol/backend.js';

/** How every context of a model is made. */
export function contextOptions(request: ContextRequest): LlamaContextOptions {
  const { contextSize, sequences, batchSize, threads, lora = [], kvType, flashAttention = 'off' } = request;
  return {
    contextSize,
    sequences,
    batchSize,
    threads,
    flashAttention: flashAttention === 'auto' ? 'auto' : flashAttention === 'on',
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

export function ggmlType(kvType: KvType): GgmlType {
  return GgmlType[kvType.toUpperCase() as keyof typeof GgmlType];
}
