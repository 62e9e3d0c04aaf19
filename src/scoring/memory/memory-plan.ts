import type { MemoryNeeds } from '../../contract/inspection.js';

/** Bytes that a model would take, against what is free on its device. */
export interface MemoryPlan extends MemoryNeeds {
  readonly total: number;
  readonly free: number;
  readonly fits: boolean;
}

/**
 * The file is mapped into memory as a whole: where llama.cpp's own estimate of the weights is lower, its size counts.
 */
export function memoryPlan(needs: MemoryNeeds, fileBytes: number, free: number): MemoryPlan {
  const weights = Math.max(needs.weights, fileBytes);
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
