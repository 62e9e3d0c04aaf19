import type { Device } from '../../contract/device.js';

/** How the prompts of a model are put together for evaluation. It moves logits slightly. */
export interface EvaluationShape {
  /** Prompts evaluated together in one context. */
  readonly sequences: number;
  /**
   * Most tokens that the sequences of a context may hold together: long prompts get fewer sequences. Absent: no limit.
   */
  readonly cells?: number;
  /** Contexts of the model; two let one decode while the other's logits are read. */
  readonly contexts: number;
  /** Most tokens of one decode. */
  readonly batchSize: number;
}

/** A model up to this size is small: with one thread it is bound by arithmetic, not by reading its weights. */
export const SMALL_BYTES = 512 * 2 ** 20;

/**
 * The shape that a model is evaluated in where models.yaml does not say. It follows from the size of its file and from
 * the device alone: both are in the key of every cache entry, so that no key stands for two shapes. Memory, cores and
 * the other models of a run decide how many models run side by side, never this.
 *
 * GPU: 64 sequences (fewer for long prompts: 65,536 tokens in all, which is 8 GiB of cache for an 8B model of Llama 3's
 * shape), batches of 2048 tokens and two contexts, one of which decodes while the other's logits are read (one context
 * on Vulkan, where the library serialises decodes anyway). CPU: 16 sequences and 2048 tokens for a small model, 8 and
 * 1024 for every other one.
 */
export function evaluationShape(bytes: number, device: Device): EvaluationShape {
  if (device !== 'cpu') return { sequences: 64, cells: 65_536, contexts: device === 'vulkan' ? 1 : 2, batchSize: 2048 };
  return bytes <= SMALL_BYTES
    ? { sequences: 16, contexts: 1, batchSize: 2048 }
    : { sequences: 8, contexts: 1, batchSize: 1024 };
}
