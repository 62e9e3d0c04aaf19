import type { LlamaModel } from 'node-llama-cpp';
import type { MemoryNeeds } from '../../contract/inspection.js';
import type { ContextRequest } from '../protocol/backend.js';
import { ggmlType } from './context-options.js';

/**
 * Bytes of the weights, of the KV cache and of the rest of a context, from llama.cpp's own dry run; from the library's
 * formula where a dry run is not possible (vocabulary files).
 */
export async function memoryNeeds(
  model: LlamaModel,
  {
    contextSize,
    sequences,
    batchSize,
    contexts,
    kvType,
    flashAttention,
  }: ContextRequest & { readonly contexts: number },
): Promise<MemoryNeeds> {
  const insights = model.fileInsights;
  const layers = model.llama.gpu === false ? 0 : insights.totalLayers;
  const types = kvType !== undefined && {
    kvCacheKeyType: ggmlType(kvType),
    kvCacheValueType: ggmlType(kvType),
  };
  const request = { contextSize, sequences, batchSize, modelGpuLayers: layers, ...types };
  const weights = await insights.estimateModelResourceRequirementsV2({ gpuLayers: layers });
  const attention = flashAttention === 'auto' ? flashAttention : flashAttention === 'on';
  const context = await insights.estimateContextResourceRequirementsV2({ ...request, flashAttention: attention });
  // Only the older estimate can leave out the compute buffers.
  const kvCache = sum(
    insights.estimateContextResourceRequirements({
      ...request,
      flashAttention: attention === true,
      includeGraphOverhead: false,
    }),
  );
  return {
    weights: sum(weights),
    kvCache: kvCache * contexts,
    compute: Math.max(0, sum(context) - kvCache) * contexts,
  };
}

function sum({ cpuRam, gpuVram }: { cpuRam: number; gpuVram: number }): number {
  return cpuRam + gpuVram;
}
