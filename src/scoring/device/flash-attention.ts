import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { FlashAttention } from '../../contract/scorer.js';

/**
 * How attention is computed, which moves logits slightly: models.yaml decides, else the device. On a CPU flash
 * attention costs a third of the rows per second on short prompts (bench/); a GPU has it where its kernels fit the
 * model (`auto`: llama.cpp looks when a context is made). Values of the KV cache that are stored in blocks can be read
 * by it only.
 */
export function flashAttentionOf(scoring: ModelSpec['scoring'], device: Device): FlashAttention {
  if (scoring?.flashAttention !== undefined) return scoring.flashAttention;
  if (isStoredInBlocks(scoring?.kvType)) return 'on';
  return device === 'cpu' ? 'off' : 'auto';
}

function isStoredInBlocks(kvType: string | undefined): boolean {
  return kvType?.includes('q') ?? false;
}
