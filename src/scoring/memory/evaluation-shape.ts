import type { Device } from '../../contract/device.js';
import type { Company } from '../../engine/protocol/protocol.js';

/** How the prompts of a model are put together for evaluation. It moves logits slightly. */
export interface EvaluationShape {
  /** Prompts that a context gets in one call; where each has a pass of its own, what a kill may cost. */
  readonly sequences: number;
  /**
   * Most tokens that the sequences of a context may hold together: long prompts get fewer sequences. Absent: no limit.
   */
  readonly cells?: number;
  /** Contexts of the model; two let one decode while the other's logits are read. */
  readonly contexts: number;
  /** Most tokens of one decode. */
  readonly batchSize: number;
  /** Whether prompts of one call are put into one pass; see `Company`. */
  readonly company: Company;
}

/** Up to this size one decode is so short that threads spend it waiting for each other, and a batch saves a little. */
export const TINY_BYTES = 64 * 2 ** 20;
/** Larger models get fewer prompts in hand on a CPU: what a kill may cost, and what the last core may work alone. */
const SMALL_BYTES = 512 * 2 ** 20;
/**
 * Contexts on a card of models that write freely, or whose options are read token by token: while logits of one are
 * read, or tokens drawn, the card works for the others. On an H200 2, 3, 4, 6 and 8 read 101, 122, 125, 119 and 122
 * examples of texts a second by our own reader (61 and 77 for 2 and 4 by the library).
 */
export const READING_CONTEXTS = 4;

/**
 * The shape that a model is evaluated in where models.yaml does not say. It follows from the size of its file and from
 * the device alone: both are in the key of every cache entry, so that no key stands for two shapes. Memory, cores and
 * the other models of a run decide how many models run side by side, never this.
 *
 * GPU: 64 sequences (fewer for long prompts: 65,536 tokens in all, which is 8 GiB of cache for an 8B model of Llama 3's
 * shape), batches of 2048 tokens and two contexts, one of which decodes while the other's logits are read (one context
 * on Vulkan, where the library serialises decodes anyway).
 *
 * CPU: one prompt a pass, in passes of at most 512 tokens. Which kernel a row of activations meets hangs on how many
 * rows its pass has (K-quants that llama.cpp repacks: groups of four and the rest; F16: one and several; IQ types:
 * under eight and more), so that a prompt has its own numbers only by itself. Where the types of a file's weights know
 * no such difference (Q8_0, Q6_K, Q5, Q4_0, Q4_1), up to four short prompts of like length share a pass of 256 tokens
 * all the same, which takes 7 to 16 % less time at 36 tokens (bench/README.md). Tiny files, of which a batch takes 6 %
 * less time, keep theirs where their types of weights are the same in every batch.
 */
export function evaluationShape(bytes: number, device: Device): EvaluationShape {
  if (device !== 'cpu') {
    const contexts = device === 'vulkan' ? 1 : 2;
    return { sequences: 64, cells: 65_536, contexts, batchSize: 2048, company: 'always' };
  }
  if (bytes <= TINY_BYTES) return { sequences: 16, contexts: 1, batchSize: 2048, company: 'if-exact' };
  return { sequences: bytes <= SMALL_BYTES ? 4 : 2, contexts: 1, batchSize: 512, company: 'never' };
}
