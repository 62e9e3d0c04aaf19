import { freemem, totalmem } from 'node:os';
import type { Device } from '../../contract/device.js';
import { probeDevice } from './probe-device.js';

/** Bytes. */
export interface MemoryState {
  readonly total: number;
  readonly free: number;
}

/** Node tells what is available to this process, within a container too; older releases only what is unused. */
export function ramState(): MemoryState {
  const available = (process as { availableMemory?: () => number }).availableMemory?.();
  const limit = process.constrainedMemory();
  const total = limit > 0 && limit < totalmem() ? limit : totalmem();
  return { total, free: available ?? freemem() };
}

/** Bytes that are free for models on a device; null when nobody tells. */
export type FreeMemory = () => Promise<number | null>;

/** Main memory is asked for anew each time; a GPU once, before any model is on it, in a process of its own. */
export function freeMemory(device: Device): FreeMemory {
  if (device === 'cpu') return async () => ramState().free;
  let known: Promise<number | null> | undefined;
  return () => {
    known ??= probeDevice(device).then((result) => (result.ok ? (result.memory?.free ?? null) : null));
    return known;
  };
}
