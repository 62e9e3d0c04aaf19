import { GgmlType, type LlamaModel } from 'node-llama-cpp';
import type { MemoryNeeds } from '../../contract/inspection.js';
import { cardProducts } from '../../library/chosen-build.js';
import type { MemoryRequest } from '../protocol/backend.js';
import { ggmlType } from './context-options.js';

const MEBIBYTE = 2 ** 20;
/** What CUDA itself takes of a card for a process: 528 to 605 MiB on an H200. */
const CUDA_RUNTIME = 600 * MEBIBYTE;
/** What CUDA's products take for each context beside the graph: 150 to 270 MiB on an H200. */
const CUDA_POOL = 256 * MEBIBYTE;
/** For no more places than this the matrix of the logits is read as it lies (MMVQ_MAX_BATCH_SIZE in llama.cpp). */
const FEW_PLACES = 8;
const WHOLE_TYPES: readonly GgmlType[] = [GgmlType.F32, GgmlType.F16, GgmlType.BF16];
const OUTPUT = 'output.weight';
const EMBEDDINGS = 'token_embd.weight';

/**
 * Bytes of the weights, of the KV cache and of the rest of a context on the device that it is asked for, from
 * llama.cpp's own dry run; from the library's formula where a dry run is not possible (vocabulary files). The model may
 * be loaded for another device than that, and without its weights.
 */
export async function memoryNeeds(model: LlamaModel, request: MemoryRequest): Promise<MemoryNeeds> {
  const { contextSize, sequences, batchSize, contexts, kvType, flashAttention } = request;
  const insights = model.fileInsights;
  const loadedOnCard = model.llama.gpu !== false;
  const types = kvType !== undefined && {
    kvCacheKeyType: ggmlType(kvType),
    kvCacheValueType: ggmlType(kvType),
  };
  const modelGpuLayers = loadedOnCard ? insights.totalLayers : 0;
  const shape = { contextSize, sequences, batchSize, modelGpuLayers, ...types };
  const attention = flashAttention === 'auto' ? flashAttention : flashAttention === 'on';
  const dryRun = await insights.estimateContextResourceRequirementsV2({ ...shape, flashAttention: attention });
  // Only the older estimate can leave out the compute buffers. It counts the logits of a batch on both sides.
  const older = insights.estimateContextResourceRequirements({
    ...shape,
    flashAttention: attention === true,
    includeGraphOverhead: false,
  });
  const [context, kvCache] = loadedOnCard ? [dryRun.gpuVram, older.gpuVram] : [dryRun.cpuRam, older.cpuRam];
  return {
    weights: await weightsOf(model, request),
    kvCache: kvCache * contexts,
    compute: Math.max(0, context - kvCache) * contexts + (request.device === 'cuda' ? ofCuda(model, request) : 0),
  };
}

/** A card holds all but the table of embeddings; of one that gives the logits too it has a copy. */
async function weightsOf(
  { fileInsights: insights }: LlamaModel,
  { device, gpuLayers }: MemoryRequest,
): Promise<number> {
  const onCard = (device === 'cuda' || device === 'vulkan') && typeof gpuLayers !== 'number';
  if (onCard)
    return insights.estimateModelResourceRequirements({ gpuLayers: insights.totalLayers, useMmap: false }).gpuVram;
  const { cpuRam, gpuVram } = await insights.estimateModelResourceRequirementsV2({ gpuLayers: 0 });
  return cpuRam + gpuVram;
}

/**
 * What CUDA takes beside the dry run. Where cuBLAS multiplies the matrices of a quantised file, each context has room
 * for the largest of them in 16 bits.
 */
function ofCuda({ fileInfo }: LlamaModel, { contexts, places }: MemoryRequest): number {
  const { cublas: unpacks } = cardProducts();
  const tensors = fileInfo.fullTensorInfo ?? [];
  const output = tensors.some(({ name }) => name === OUTPUT) ? OUTPUT : EMBEDDINGS;
  const sizes = tensors
    .filter(({ ggmlType: type, dimensions }) => !WHOLE_TYPES.includes(type) && dimensions.length > 1)
    .filter(({ name }) => (name === OUTPUT || name === EMBEDDINGS ? name === output && places > FEW_PLACES : true))
    .map(({ dimensions: [width = 0, height = 0] }) => 2 * Number(width) * Number(height));
  return CUDA_RUNTIME + contexts * (CUDA_POOL + (unpacks ? Math.max(0, ...sizes) : 0));
}
