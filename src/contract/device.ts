/**
 * What a model can be computed with on this machine; llama.cpp has another implementation of every operation for each.
 */
export const DEVICES = ['cpu', 'cuda', 'vulkan', 'metal'] as const;

export type Device = (typeof DEVICES)[number];

/** What a user asks for: a device by name, the best one that works, or none but the processor. */
export type GpuChoice = 'auto' | 'cuda' | 'vulkan' | 'metal' | 'off';
