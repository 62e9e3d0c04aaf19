/**
 * What a model can be computed with on this machine; llama.cpp has another implementation of every operation for each.
 */
export const DEVICES = ['cpu', 'cuda', 'vulkan', 'metal'] as const;

export type Device = (typeof DEVICES)[number];

/** What a user asks for: a device by name, the best one that works, or none but the processor. */
export type GpuChoice = 'auto' | 'cuda' | 'vulkan' | 'metal' | 'off';

/** One GPU of this machine. */
export interface Card {
  readonly device: Exclude<Device, 'cpu'>;
  /** Its number for --devices: its place among the cards that this process may see, as the driver orders them. */
  readonly index: number;
  readonly name: string;
  /** Bytes; null when the library does not tell. */
  readonly memory: { readonly total: number; readonly free: number } | null;
  /** What stands for it in the visibility variable of its device; null: the device has no such variable. */
  readonly visibleAs: string | null;
}
