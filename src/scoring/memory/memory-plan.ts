import type { Device } from '../../contract/device.js';
import type { MemoryNeeds } from '../../contract/inspection.js';

/** Bytes that a model would take, against what is free on its device. */
export interface MemoryPlan extends MemoryNeeds {
  readonly total: number;
  readonly free: number;
  readonly fits: boolean;
}

/** What a file takes whatever llama.cpp's own estimate of its weights says: main memory has it mapped as a whole. */
export function mappedBytes(
  fileBytes: number,
  { device, gpuLayers }: { readonly device: Device; readonly gpuLayers?: number | 'max' },
): number {
  return (device === 'cuda' || device === 'vulkan') && typeof gpuLayers !== 'number' ? 0 : fileBytes;
}

/** @param mapped see `mappedBytes` */
export function memoryPlan(needs: MemoryNeeds, mapped: number, free: number): MemoryPlan {
  const weights = Math.max(needs.weights, mapped);
  const total = weights + needs.kvCache + needs.compute;
  return { weights, kvCache: needs.kvCache, compute: needs.compute, total, free, fits: total <= free };
}

/** "N MiB are needed on cpu (weights ..., KV cache ..., compute ...), M MiB are free". */
export function memoryNumbers({ weights, kvCache, compute, total, free }: MemoryPlan, device: string): string {
  const parts = `weights ${mebibytes(weights)}, KV cache ${mebibytes(kvCache)}, compute ${mebibytes(compute)}`;
  return `${mebibytes(total)} are needed on ${device} (${parts}), ${mebibytes(free)} are free`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
